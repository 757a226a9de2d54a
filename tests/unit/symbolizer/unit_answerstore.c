#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/answers/answerstore.h"

#define ANSWERS 5000

/* The answer that address i * 3 gets here. */
struct made {
	char function[32];
	char file[32];
	char sentence[32];
	struct symbolizer_frame frames[3];
	struct resolver_answer answer;
};

static void make(struct made *made, unsigned i)
{
	size_t frame;

	snprintf(made->function, sizeof(made->function), "function%u", i % 700);
	snprintf(made->file, sizeof(made->file), "file%u.c", i % 13);
	snprintf(made->sentence, sizeof(made->sentence), "sentence %u", i % 5);
	made->answer.frames = made->frames;
	made->answer.count = 1 + i % 3;
	made->answer.sentence = i % 2 ? made->sentence : NULL;
	for (frame = 0; frame < made->answer.count; frame++)
		made->frames[frame] = (struct symbolizer_frame){
			.function = i % 7 ? made->function : NULL,
			.file = i % 11 ? made->file : NULL,
			.line = i,
			.column = (unsigned)frame,
			.offset = (uint64_t)i << 33,
			.inlined = frame + 1 < made->answer.count,
		};
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void assert_found(const struct answerstore *store, unsigned i)
{
	const struct answerstore_answer *answer =
		answerstore_find(store, (uint64_t)i * 3);
	struct made made;
	size_t frame;

	make(&made, i);
	assert_non_null(answer);
	assert_int_equal(answer->count, made.answer.count);
	assert_true(is_same(
		answerstore_sentence(store, answer), made.answer.sentence));
	for (frame = 0; frame < made.answer.count; frame++) {
		struct symbolizer_frame got =
			answerstore_frame(store, answer, frame);

		assert_true(is_same(got.function, made.frames[frame].function));
		assert_true(is_same(got.file, made.frames[frame].file));
		assert_int_equal(got.line, made.frames[frame].line);
		assert_int_equal(got.column, made.frames[frame].column);
		assert_int_equal(got.offset, made.frames[frame].offset);
		assert_int_equal(got.inlined, made.frames[frame].inlined);
	}
}

static void fill(struct answerstore *store)
{
	struct made made;
	unsigned i;

	for (i = 0; i < ANSWERS; i++) {
		assert_null(answerstore_find(store, (uint64_t)i * 3));
		make(&made, i);
		assert_true(
			answerstore_add(store, (uint64_t)i * 3, &made.answer));
	}
}

static void what_is_added_is_found(void **state)
{
	struct answerstore store = {0};
	unsigned i;

	(void)state;
	fill(&store);
	for (i = 0; i < ANSWERS; i++)
		assert_found(&store, i);
	assert_null(answerstore_find(&store, 1));
	assert_null(answerstore_find(&store, UINT64_MAX));
	answerstore_free(&store);
	assert_null(answerstore_find(&store, 0));
}

static void each_string_is_held_once(void **state)
{
	struct answerstore store = {0};

	(void)state;
	fill(&store);
	assert_true(store.string_bytes < 700 * 16 + 13 * 16 + 5 * 16);
	answerstore_free(&store);
}

static void too_many_frames_are_refused(void **state)
{
	static struct symbolizer_frame frames[ANSWERSTORE_FRAMES_MAX + 1];
	const struct resolver_answer answer = {
		.frames = frames, .count = ANSWERSTORE_FRAMES_MAX + 1};
	struct answerstore store = {0};

	(void)state;
	assert_false(answerstore_add(&store, 1, &answer));
	assert_null(answerstore_find(&store, 1));
	answerstore_free(&store);
}

static void *copy(const void *from, size_t bytes)
{
	void *to = malloc(bytes);

	assert_non_null(to);
	memcpy(to, from, bytes);
	return to;
}

/* The tables alone, as they come out of a file. */
static struct answerstore tables_of(const struct answerstore *store)
{
	struct answerstore made = {
		.answer_count = store->answer_count,
		.frame_count = store->frame_count,
		.string_bytes = store->string_bytes,
	};

	made.answers = copy(
		store->answers, store->answer_count * sizeof(*store->answers));
	made.frames = copy(
		store->frames, store->frame_count * sizeof(*store->frames));
	made.strings = copy(store->strings, store->string_bytes);
	return made;
}

static void tables_can_be_adopted_and_added_to(void **state)
{
	const struct symbolizer_frame frame = {.function = "new"};
	const struct resolver_answer answer = {.frames = &frame, .count = 1};
	struct answerstore store = {0};
	struct answerstore adopted;
	unsigned i;

	(void)state;
	fill(&store);
	adopted = tables_of(&store);
	answerstore_free(&store);
	assert_true(answerstore_adopt(&adopted));
	assert_true(answerstore_add(&adopted, 1, &answer));
	for (i = 0; i < ANSWERS; i++)
		assert_found(&adopted, i);
	assert_non_null(answerstore_find(&adopted, 1));
	answerstore_free(&adopted);
}

enum damage {
	FIRST,
	COUNT,
	NO_FRAMES,
	SENTENCE,
	FUNCTION,
	FILE_NAME,
	NO_END,
	NO_BEGINNING,
	DAMAGES
};

static void damage(struct answerstore *tables, enum damage damage)
{
	struct answerstore_answer *answer = &tables->answers[ANSWERS / 2];
	struct answerstore_frame *frame = &tables->frames[ANSWERS / 2];

	switch (damage) {
	case FIRST:
		answer->first = (uint32_t)tables->frame_count;
		break;
	case COUNT:
		answer->count = UINT32_MAX;
		break;
	case NO_FRAMES:
		answer->count = 0;
		break;
	case SENTENCE:
		answer->sentence = (uint32_t)tables->string_bytes;
		break;
	case FUNCTION:
		frame->function = UINT32_MAX;
		break;
	case FILE_NAME:
		frame->file = (uint32_t)tables->string_bytes;
		break;
	case NO_END:
		tables->strings[tables->string_bytes - 1] = 'x';
		break;
	default:
		tables->strings[0] = 'x';
	}
}

static void what_leads_out_of_the_tables_is_not_adopted(void **state)
{
	struct answerstore store = {0};
	struct answerstore tables;
	int kind;

	(void)state;
	fill(&store);
	for (kind = 0; kind < DAMAGES; kind++) {
		tables = tables_of(&store);
		damage(&tables, (enum damage)kind);
		assert_false(answerstore_adopt(&tables));
		answerstore_free(&tables);
	}
	answerstore_free(&store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_added_is_found),
		cmocka_unit_test(each_string_is_held_once),
		cmocka_unit_test(too_many_frames_are_refused),
		cmocka_unit_test(tables_can_be_adopted_and_added_to),
		cmocka_unit_test(what_leads_out_of_the_tables_is_not_adopted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
