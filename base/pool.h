/*
 * Memory that is given back all at once: what one writer or one process has
 * defined.  Used by the decoder's tables; an allocation is never larger than
 * what its caller has just read from a file.  Not thread-safe.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct pool_chunk;

/* All zeros is an empty pool. */
struct pool {
	struct pool_chunk *chunks;
	size_t left;  /* bytes unused in the newest chunk */
	size_t bytes; /* of all chunks */
	bool failed;  /* no memory: something is not there */
};

/* Aligned for any type of this size, and not initialized.  Null: out of memory.
 */
void *pool_take(struct pool *pool, size_t size);

/* A copy of `size` bytes and a NUL after them.  Null: out of memory. */
char *pool_copy(struct pool *pool, const void *bytes, size_t size);

/* Gives everything back; the pool is empty and usable again. */
void pool_free(struct pool *pool);

#endif
