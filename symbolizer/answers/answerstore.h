/*
 * The answers already given about one file.  Called by the symbolizer, which
 * asks here first, and by the cache, which keeps the tables in a file.
 * Promises that what is found is what was added, and that each string is held
 * once.
 */
#ifndef SYMBOLIZER_ANSWERSTORE_H
#define SYMBOLIZER_ANSWERSTORE_H

#include "symbolizer/answers/resolver.h"

/* More frames than any inlining gives. */
#define ANSWERSTORE_FRAMES_MAX 1024

struct answerstore_answer {
	uint64_t address;
	uint32_t first; /* of its frames */
	uint32_t count;
	uint32_t sentence; /* strings are offsets; 0 is null */
	uint32_t limits;   /* a bit for each readlimit that it met */
};

struct answerstore_frame {
	uint64_t offset;
	uint32_t function;
	uint32_t file;
	uint32_t line;
	uint32_t column;
	uint32_t inlined;
	uint32_t wrapper;
};

/* From a hash to an index + 1; 0 is free. */
struct answerstore_index {
	uint32_t *slots;
	size_t room; /* a power of two */
	size_t count;
};

/* All zeros is empty. */
struct answerstore {
	struct answerstore_answer *answers;
	struct answerstore_frame *frames;
	char *strings; /* each with its NUL; the first one is empty */
	size_t answer_count, answer_room;
	size_t frame_count, frame_room;
	size_t string_bytes, string_room;
	struct answerstore_index by_address;
	struct answerstore_index by_string;
};

/* Null: not known.  Valid until the next call that changes the store. */
const struct answerstore_answer *answerstore_find(
	const struct answerstore *store, uint64_t address);

/* The strings of what is returned are valid as long as the answer. */
struct symbolizer_frame answerstore_frame(const struct answerstore *store,
	const struct answerstore_answer *answer, size_t index);
const char *answerstore_sentence(const struct answerstore *store,
	const struct answerstore_answer *answer);

/* Whether the store is as large as it may become. */
bool answerstore_is_full(const struct answerstore *store);

/*
 * The offset of a string, which is added when there is none like it; null is 0.
 * False when out of memory, or full.
 */
bool answerstore_intern(
	struct answerstore *store, const char *string, uint32_t *offset);

/*
 * Adds the answer for an address that has none.  False when out of memory,
 * which leaves the store as it was, or full.
 */
bool answerstore_add(struct answerstore *store, uint64_t address,
	const struct resolver_answer *answer);

/* The same with strings that are in the store. */
bool answerstore_put(struct answerstore *store, uint64_t address,
	const struct answerstore_frame *frames, size_t count,
	uint32_t sentence);

/* Notes that the answer for an address met limits, if it is in the store. */
void answerstore_limit(
	struct answerstore *store, uint64_t address, uint32_t limits);

/*
 * Takes over the three tables, allocated by malloc(), of an empty store whose
 * counts are set.  False when something in them leads out of them, or when out
 * of memory; either way answerstore_free() frees them.
 */
bool answerstore_adopt(struct answerstore *store);

void answerstore_free(struct answerstore *store);

#endif
