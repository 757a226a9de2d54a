/*
 * Memory for the columns of one batch, which is used again for the next.
 * Taken by column_read.c; promises a bound, whatever a batch says.
 */
#ifndef DECODER_COLUMN_STORE_H
#define DECODER_COLUMN_STORE_H

#include <stddef.h>

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

#endif
