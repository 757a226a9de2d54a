/*
 * The columns of a packed log's batch, taken apart: record/packed.h says how
 * they are written.  Called by packed_body.c with bytes that nobody vouches
 * for; every length is checked before it is used, and all columns of a batch
 * take a bounded amount of memory.
 */
#ifndef DECODER_COLUMN_READ_H
#define DECODER_COLUMN_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

/* Of all columns that are read between two resets, bytes. */
#define COLUMN_STORE_MAX ((size_t)24 << 20)

struct column_chunk;

/* All zeros is an empty one. */
struct column_store {
	struct column_chunk *chunks; /* the one in use first, then others */
	struct column_chunk *spare;
	size_t used; /* of the one in use */
	size_t total;
	size_t held; /* by all chunks, the spare ones too */
};

struct column_store_mark {
	struct column_chunk *chunk;
	size_t used;
	size_t total;
};

/* Aligned for a uint64_t.  Null: too much, or no memory. */
void *column_store_take(struct column_store *store, size_t size);

/* What is taken from the mark on is given back. */
struct column_store_mark column_store_mark(const struct column_store *store);
void column_store_return(
	struct column_store *store, struct column_store_mark mark);

/* All is given back; the memory is kept for the next batch. */
void column_store_reset(struct column_store *store);

void column_store_free(struct column_store *store);

/* The values of a column of numbers, one after the other. */
struct column {
	const uint64_t *at; /* the next one, before `add` */
	size_t stride;	    /* to the one after it: 0 or 1 */
	uint64_t add;
	uint64_t step; /* by which `add` grows */
};

/* Which site each message of a batch is of, and how many each has. */
struct column_groups {
	struct column sites; /* places; each is less than `count` */
	const uint32_t *messages;
	size_t count;
};

/*
 * Takes a column of `count` values from the cursor; they point into the store.
 * `groups` is null but for columns that all messages have.  False: the column
 * is damaged, or takes too much.
 */
bool column_read_numbers(struct cursor *bytes, struct column_store *store,
	size_t count, const struct column_groups *groups,
	struct column *column);

/* The same of one that nobody asks for. */
bool column_read_skip(
	struct cursor *bytes, struct column_store *store, size_t count);

/* LEB128 of up to 64 bits; 0 and a failed cursor if it is none. */
uint64_t column_read_number(struct cursor *bytes);

/* Is called as often as the column has values, at most. */
static inline uint64_t column_read_next(struct column *column)
{
	uint64_t value = *column->at + column->add;

	column->at += column->stride;
	column->add += column->step;
	return value;
}

#endif
