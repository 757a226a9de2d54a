/*
 * Columns of a batch of which some bytes are damaged: the values whose bytes
 * are all whole.  Called by packed_salvage.c, as careful as column_read.h, and
 * slower: each byte is asked for.  A value is good only if every byte that it
 * depends on is.
 */
#ifndef DECODER_COLUMN_SALVAGE_H
#define DECODER_COLUMN_SALVAGE_H

#include "decoder/packed/column_strings.h"

struct salvage {
	const uint8_t *bytes; /* of the body */
	const uint8_t *whole; /* of each byte, whether it is */
	size_t at;
	size_t end;
	bool lost; /* where the next column begins is not known */
	struct column_store *store;
};

/* Which message of its site each message of a batch is. */
struct salvage_groups {
	const uint64_t *sites;
	const uint32_t *nth; /* SALVAGE_UNKNOWN: not known, nor the site */
	const uint32_t *messages;
	size_t count;
};
#define SALVAGE_UNKNOWN UINT32_MAX

struct salvaged_numbers {
	uint64_t *values;
	uint8_t *good; /* of each, whether it is known */
};

struct salvaged_strings {
	struct column_value *values;
	uint8_t *good;
};

/*
 * Takes a column of `count` values, where it is not lost; what is not known is
 * no good.  `groups` is null but for columns that all messages have.  False:
 * too much memory, or none.
 */
bool salvage_numbers(struct salvage *from, size_t count,
	const struct salvage_groups *groups, struct salvaged_numbers *into);
bool salvage_strings(
	struct salvage *from, size_t count, struct salvaged_strings *into);
/* The bytes of all of them are kept together. */
bool salvage_long_doubles(
	struct salvage *from, size_t count, struct salvaged_strings *into);

/* Strings of many columns: see struct column_texts. */
struct salvage_texts {
	struct salvaged_strings *columns;
	const uint32_t *counts;
	size_t column_count;
	size_t count;
};

/* `next` gives SIZE_MAX where it is not known. */
bool salvage_texts(struct salvage *from, struct salvage_texts *texts,
	size_t (*next)(void *closure), void *closure);

#endif
