#include "decoder/names/symbol_answers.h"

#include <stdlib.h>
#include <string.h>

#include "base/seeded_hash.h"

struct symbol_answer {
	size_t count;
	struct symbolizer_frame frames[];
};

/* A question is known by its hash, whose seed nobody knows. */
static uint64_t key_of(const struct symbol_question *question)
{
	uint64_t hash = seeded_hash_word(
		program_module_hash(question->module), question->address);

	if (question->between) {
		hash = seeded_hash_word(hash, question->inside + 1);
		hash = seeded_hash_word(hash, question->argument);
		if (question->name)
			hash = seeded_hash(
				hash, question->name, strlen(question->name));
	}
	return hash;
}

static bool keep_string(struct symbol_answers *answers, const char **string)
{
	if (*string)
		*string = pool_copy(&answers->pool, *string, strlen(*string));
	return *string;
}

static size_t bytes_of(const struct symbolizer_frame *frames, size_t count)
{
	size_t bytes = sizeof(struct symbol_answer) + count * sizeof(*frames);
	size_t i;

	for (i = 0; i < count; i++) {
		bytes += frames[i].function ? strlen(frames[i].function) : 0;
		bytes += frames[i].file ? strlen(frames[i].file) : 0;
	}
	return bytes;
}

bool symbol_answers_add(struct symbol_answers *answers,
	const struct symbol_question *question,
	const struct symbolizer_frame *frames, size_t count)
{
	const uint64_t key = key_of(question);
	const size_t bytes = bytes_of(frames, count);
	struct symbol_answer *answer;
	size_t i;

	if (bytes > SYMBOL_ANSWERS_BYTES_MAX - answers->bytes)
		return false;
	if (id_map_find(&answers->known, key))
		return true;
	answer = pool_take(
		&answers->pool, sizeof(*answer) + count * sizeof(*frames));
	if (!answer)
		return false;
	answer->count = count;
	for (i = 0; i < count; i++) {
		answer->frames[i] = frames[i];
		if (frames[i].function &&
			!keep_string(answers, &answer->frames[i].function))
			return false;
		if (frames[i].file &&
			!keep_string(answers, &answer->frames[i].file))
			return false;
	}
	if (!id_map_set(&answers->known, key, answer))
		return false;
	answers->bytes += bytes;
	return true;
}

const struct symbolizer_frame *symbol_answers_find(
	const struct symbol_answers *answers,
	const struct symbol_question *question, size_t *count)
{
	const struct symbol_answer *answer;

	answer = id_map_find(&answers->known, key_of(question));
	if (!answer)
		return NULL;
	*count = answer->count;
	return answer->frames;
}

void symbol_answers_free(struct symbol_answers *answers)
{
	id_map_free(&answers->known);
	pool_free(&answers->pool);
	*answers = (struct symbol_answers){0};
}
