/*
 * The columns of a packed log's batch, taken apart: record/packed.h says how
 * they are written.  Called by packed_body.c with bytes that nobody vouches
 * for; every length is checked before it is used, and all columns of a batch
 * take a bounded amount of memory, which is used again for the next one.
 */
#ifndef DECODER_COLUMN_READ_H
#define DECODER_COLUMN_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/cursor.h"

/* Of all columns that are read between two resets, bytes. */
#define COLUMN_STORE_MAX ((size_t)24 << 20)

struct column_chunk;

/* All zeros is an empty one. */
struct column_store {
	struct column_chunk *chunks; /* the one in use first, then others */
	struct column_chunk *spare;
	size_t used; /* of the one in use */
	size_t total;
};

/* What was taken is gone; the memory is kept for the next batch. */
void column_store_reset(struct column_store *store);
void column_store_free(struct column_store *store);

/* Aligned for a uint64_t.  Null: too much, or no memory. */
void *column_store_take(struct column_store *store, size_t size);

struct column_string {
	const uint8_t *data; /* null: a null pointer */
	size_t size;
};

/* The values of a column, one after the other. */
struct column {
	const uint64_t *at; /* the next number, before `add` */
	size_t stride;	    /* to the one after it: 0 or 1 */
	uint64_t add;
	uint64_t step; /* by which `add` grows */
	/* Of strings the number is one more than the size, or 0, or the */
	/* place in a dictionary: */
	const struct column_string *dictionary; /* or null, then: */
	const uint8_t *bytes; /* of the next string, or of 16 bytes */
};

/*
 * Each takes a column of `count` values from the cursor; they point into its
 * bytes and into the store.  False: it is damaged, or takes too much.
 */
bool column_numbers(struct cursor *bytes, struct column_store *store,
	size_t count, struct column *column);
bool column_strings(struct cursor *bytes, struct column_store *store,
	size_t count, struct column *column);

/* 16 bytes each. */
bool column_long_doubles(
	struct cursor *bytes, size_t count, struct column *column);

/* A column of numbers that nobody asks for. */
bool column_skip_numbers(struct cursor *bytes, size_t count);

/* Each is called at most `count` times. */
static inline uint64_t column_next(struct column *column)
{
	uint64_t value = *column->at + column->add;

	column->at += column->stride;
	column->add += column->step;
	return value;
}

static inline struct column_string column_next_string(struct column *column)
{
	uint64_t number = column_next(column);
	struct column_string string = {0};

	if (column->dictionary)
		return column->dictionary[number];
	if (number > 0) {
		string.data = column->bytes;
		string.size = (size_t)number - 1;
		column->bytes += string.size;
	}
	return string;
}

static inline const uint8_t *column_next_long_double(struct column *column)
{
	const uint8_t *bytes = column->bytes;

	column->bytes += 16;
	return bytes;
}

#endif
