#include "decoder/names/symbol_answers.h"

#include <stdlib.h>
#include <string.h>

#include "base/seeded_hash.h"

#define SLOTS_FIRST 256u

/* A question is known by two hashes: names in a log may be wrong anyway. */
struct symbol_answer {
	uint64_t key;
	uint64_t check;
	size_t count;
	struct symbolizer_frame frames[];
};

struct key {
	uint64_t key;
	uint64_t check;
};

static uint64_t hash_of_file(const struct program_module *module)
{
	uint64_t hash;

	if (module->build_id_bytes > 0)
		return seeded_hash(seeded_hash_start, module->build_id,
			module->build_id_bytes);
	hash = seeded_hash(seeded_hash_start, module->path, module->path_bytes);
	hash = seeded_hash_word(hash, module->file_bytes);
	return seeded_hash_word(hash, module->content_hash);
}

static struct key key_of(const struct symbol_question *question)
{
	uint64_t hash = seeded_hash_word(
		hash_of_file(question->module), question->address);

	if (question->between) {
		hash = seeded_hash_word(hash, question->inside + 1);
		hash = seeded_hash_word(hash, question->argument);
		if (question->name)
			hash = seeded_hash(
				hash, question->name, strlen(question->name));
	}
	return (struct key){hash, seeded_hash_word(~hash, question->address)};
}

static struct symbol_answer **slot_of(
	const struct symbol_answers *answers, struct key key)
{
	size_t i = key.key & answers->mask;

	while (answers->slots[i] &&
		(answers->slots[i]->key != key.key ||
			answers->slots[i]->check != key.check))
		i = (i + 1) & answers->mask;
	return &answers->slots[i];
}

static bool make_room(struct symbol_answers *answers)
{
	struct symbol_answers larger = *answers;
	size_t i;

	if (answers->slots && answers->count <= answers->mask / 2)
		return true;
	larger.mask = answers->slots ? answers->mask * 2 + 1 : SLOTS_FIRST - 1;
	larger.slots = calloc(larger.mask + 1, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (i = 0; answers->slots && i <= answers->mask; i++) {
		struct symbol_answer *answer = answers->slots[i];

		if (answer)
			*slot_of(&larger, (struct key){answer->key,
						  answer->check}) = answer;
	}
	free(answers->slots);
	*answers = larger;
	return true;
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
	const struct key key = key_of(question);
	const size_t bytes = bytes_of(frames, count);
	struct symbol_answer **slot, *answer;
	size_t i;

	if (bytes > SYMBOL_ANSWERS_BYTES_MAX - answers->bytes ||
		!make_room(answers))
		return false;
	slot = slot_of(answers, key);
	if (*slot)
		return true;
	answer = pool_take(
		&answers->pool, sizeof(*answer) + count * sizeof(*frames));
	if (!answer)
		return false;
	*answer = (struct symbol_answer){key.key, key.check, count};
	for (i = 0; i < count; i++) {
		answer->frames[i] = frames[i];
		if (frames[i].function &&
			!keep_string(answers, &answer->frames[i].function))
			return false;
		if (frames[i].file &&
			!keep_string(answers, &answer->frames[i].file))
			return false;
	}
	*slot = answer;
	answers->count++;
	answers->bytes += bytes;
	return true;
}

const struct symbolizer_frame *symbol_answers_find(
	const struct symbol_answers *answers,
	const struct symbol_question *question, size_t *count)
{
	const struct symbol_answer *answer;

	if (answers->count == 0)
		return NULL;
	answer = *slot_of(answers, key_of(question));
	if (!answer)
		return NULL;
	*count = answer->count;
	return answer->frames;
}

void symbol_answers_free(struct symbol_answers *answers)
{
	free(answers->slots);
	pool_free(&answers->pool);
	*answers = (struct symbol_answers){0};
}
