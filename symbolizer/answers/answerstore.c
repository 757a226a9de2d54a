#include "symbolizer/answers/answerstore.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/array.h"
#include "base/bytehash.h"

/* Some 10 million frames, so that memory is bounded. */
#define STORE_BYTES_MAX ((size_t)512 << 20)

/* Whoever made a capture chose its addresses, but not this. */
static uint64_t seed(void)
{
	static uint64_t value;

	if (value == 0)
		memcpy(&value, (const void *)getauxval(AT_RANDOM),
			sizeof(value));
	return value;
}

static uint64_t hash_of_number(uint64_t number)
{
	number = (number ^ seed()) * 0x9e3779b97f4a7c15u;
	number = (number ^ number >> 32) * 0xd6e8feb86659fd93u;
	return number ^ number >> 32;
}

static uint64_t hash_of_string(const char *string, size_t length)
{
	return bytehash(string, length, seed());
}

/* Half of the slots at most are taken. */
static bool has_room(const struct answerstore_index *index)
{
	return index->count * 2 < index->room;
}

static void put(struct answerstore_index *index, uint64_t hash, uint32_t value)
{
	size_t at = hash & (index->room - 1);

	while (index->slots[at] != 0)
		at = (at + 1) & (index->room - 1);
	index->slots[at] = value + 1;
	index->count++;
}

/* Another empty one with room for `count` and as many again. */
static bool renew(struct answerstore_index *index, size_t count)
{
	size_t room = 64;
	uint32_t *slots;

	while (room / 4 < count)
		room *= 2;
	slots = calloc(room, sizeof(*slots));
	if (!slots)
		return false;
	free(index->slots);
	*index = (struct answerstore_index){.slots = slots, .room = room};
	return true;
}

static bool index_addresses(struct answerstore *store)
{
	size_t i;

	if (!renew(&store->by_address, store->answer_count))
		return false;
	for (i = 0; i < store->answer_count; i++)
		put(&store->by_address,
			hash_of_number(store->answers[i].address), (uint32_t)i);
	return true;
}

static bool index_strings(struct answerstore *store)
{
	size_t count = 0;
	size_t length;
	size_t at;

	for (at = 1; at < store->string_bytes;
		at += strlen(store->strings + at) + 1)
		count++;
	if (!renew(&store->by_string, count))
		return false;
	for (at = 1; at < store->string_bytes; at += length + 1) {
		length = strlen(store->strings + at);
		put(&store->by_string,
			hash_of_string(store->strings + at, length),
			(uint32_t)at);
	}
	return true;
}

const struct answerstore_answer *answerstore_find(
	const struct answerstore *store, uint64_t address)
{
	const struct answerstore_index *index = &store->by_address;
	size_t at;

	if (index->room == 0)
		return NULL;
	at = hash_of_number(address) & (index->room - 1);
	for (; index->slots[at] != 0; at = (at + 1) & (index->room - 1)) {
		const struct answerstore_answer *answer =
			&store->answers[index->slots[at] - 1];

		if (answer->address == address)
			return answer;
	}
	return NULL;
}

static const char *string_at(const struct answerstore *store, uint32_t offset)
{
	return offset > 0 ? store->strings + offset : NULL;
}

struct symbolizer_frame answerstore_frame(const struct answerstore *store,
	const struct answerstore_answer *answer, size_t index)
{
	const struct answerstore_frame *frame =
		&store->frames[answer->first + index];

	return (struct symbolizer_frame){
		.function = string_at(store, frame->function),
		.file = string_at(store, frame->file),
		.line = frame->line,
		.column = frame->column,
		.offset = frame->offset,
		.inlined = frame->inlined != 0,
		.wrapper = frame->wrapper != 0,
	};
}

const char *answerstore_sentence(const struct answerstore *store,
	const struct answerstore_answer *answer)
{
	return string_at(store, answer->sentence);
}

static bool append_string(
	struct answerstore *store, const char *string, size_t bytes)
{
	size_t room = store->string_room ? store->string_room : 4096;
	char *strings;

	while (room - store->string_bytes < bytes)
		room *= 2;
	if (room > store->string_room) {
		strings = realloc(store->strings, room);
		if (!strings)
			return false;
		store->strings = strings;
		store->string_room = room;
	}
	memcpy(store->strings + store->string_bytes, string, bytes);
	store->string_bytes += bytes;
	return true;
}

/* Offset 0 is null. */
static bool begin_strings(struct answerstore *store)
{
	return store->string_bytes > 0 || append_string(store, "", 1);
}

bool answerstore_intern(
	struct answerstore *store, const char *string, uint32_t *offset)
{
	struct answerstore_index *index = &store->by_string;
	uint64_t hash;
	size_t bytes;
	size_t at;

	*offset = 0;
	if (!string)
		return true;
	if (answerstore_is_full(store) || !begin_strings(store) ||
		(!has_room(index) && !index_strings(store)))
		return false;
	bytes = strlen(string) + 1;
	hash = hash_of_string(string, bytes - 1);
	at = hash & (index->room - 1);
	for (; index->slots[at] != 0; at = (at + 1) & (index->room - 1)) {
		*offset = index->slots[at] - 1;
		if (strcmp(store->strings + *offset, string) == 0)
			return true;
	}
	*offset = (uint32_t)store->string_bytes;
	if (!append_string(store, string, bytes))
		return false;
	put(index, hash, *offset);
	return true;
}

static bool add_frame(
	struct answerstore *store, const struct answerstore_frame *frame)
{
	if (!array_reserve(
		    store->frames, store->frame_room, store->frame_count + 1))
		return false;
	store->frames[store->frame_count++] = *frame;
	return true;
}

static bool add_answer(
	struct answerstore *store, const struct answerstore_answer *answer)
{
	if (!array_reserve(store->answers, store->answer_room,
		    store->answer_count + 1))
		return false;
	if (!has_room(&store->by_address) && !index_addresses(store))
		return false;
	put(&store->by_address, hash_of_number(answer->address),
		(uint32_t)store->answer_count);
	store->answers[store->answer_count++] = *answer;
	return true;
}

bool answerstore_is_full(const struct answerstore *store)
{
	return store->answer_count * sizeof(*store->answers) +
		       store->frame_count * sizeof(*store->frames) +
		       store->string_bytes >
	       STORE_BYTES_MAX;
}

bool answerstore_put(struct answerstore *store, uint64_t address,
	const struct answerstore_frame *frames, size_t count, uint32_t sentence)
{
	const struct answerstore_answer answer = {
		.address = address,
		.first = (uint32_t)store->frame_count,
		.count = (uint32_t)count,
		.sentence = sentence,
	};
	bool fine = !answerstore_is_full(store) &&
		    count <= ANSWERSTORE_FRAMES_MAX && begin_strings(store);
	size_t i;

	for (i = 0; i < count && fine; i++)
		fine = add_frame(store, &frames[i]);
	if (fine && add_answer(store, &answer))
		return true;
	store->frame_count = answer.first;
	return false;
}

void answerstore_limit(
	struct answerstore *store, uint64_t address, uint32_t limits)
{
	const struct answerstore_answer *answer =
		answerstore_find(store, address);

	if (answer)
		store->answers[answer - store->answers].limits |= limits;
}

static bool intern_frame(struct answerstore *store,
	struct answerstore_frame *frame, const struct symbolizer_frame *given)
{
	*frame = (struct answerstore_frame){
		.offset = given->offset,
		.line = given->line,
		.column = given->column,
		.inlined = given->inlined,
		.wrapper = given->wrapper,
	};
	return answerstore_intern(store, given->function, &frame->function) &&
	       answerstore_intern(store, given->file, &frame->file);
}

bool answerstore_add(struct answerstore *store, uint64_t address,
	const struct resolver_answer *given)
{
	struct answerstore_frame frames[ANSWERSTORE_FRAMES_MAX];
	uint32_t sentence;
	size_t i;

	if (given->count > ANSWERSTORE_FRAMES_MAX)
		return false;
	for (i = 0; i < given->count; i++)
		if (!intern_frame(store, &frames[i], &given->frames[i]))
			return false;
	return answerstore_intern(store, given->sentence, &sentence) &&
	       answerstore_put(store, address, frames, given->count, sentence);
}

static bool strings_are_sound(const struct answerstore *store)
{
	return store->string_bytes == 0 ||
	       (store->string_bytes <= UINT32_MAX &&
		       store->strings[0] == '\0' &&
		       store->strings[store->string_bytes - 1] == '\0');
}

static bool is_sound(const struct answerstore *store)
{
	size_t i;

	if (!strings_are_sound(store))
		return false;
	for (i = 0; i < store->frame_count; i++)
		if (store->frames[i].function >= store->string_bytes ||
			store->frames[i].file >= store->string_bytes)
			return false;
	for (i = 0; i < store->answer_count; i++) {
		const struct answerstore_answer *answer = &store->answers[i];

		if (answer->first > store->frame_count || answer->count == 0 ||
			store->frame_count - answer->first < answer->count ||
			answer->sentence >= store->string_bytes)
			return false;
	}
	return true;
}

bool answerstore_adopt(struct answerstore *store)
{
	store->answer_room = store->answer_count;
	store->frame_room = store->frame_count;
	store->string_room = store->string_bytes;
	return is_sound(store) && index_addresses(store);
}

void answerstore_free(struct answerstore *store)
{
	free(store->answers);
	free(store->frames);
	free(store->strings);
	free(store->by_address.slots);
	free(store->by_string.slots);
	memset(store, 0, sizeof(*store));
}
