#include "base/pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* There may be one pool for each of very many writers that say little. */
#define CHUNK_FIRST 496u
#define CHUNK_MOST 8176u

struct pool_chunk {
	struct pool_chunk *older;
	size_t size; /* of data */
	alignas(max_align_t) char data[];
};

static struct pool_chunk *add_chunk(struct pool *pool, size_t size)
{
	size_t wish = pool->bytes / 4;
	struct pool_chunk *chunk;

	if (wish < CHUNK_FIRST)
		wish = CHUNK_FIRST;
	if (wish > CHUNK_MOST)
		wish = CHUNK_MOST;
	if (size < wish)
		size = wish;
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk) {
		pool->failed = true;
		return NULL;
	}
	chunk->size = size;
	chunk->older = pool->chunks;
	pool->chunks = chunk;
	pool->bytes += size;
	return chunk;
}

static void *take(struct pool *pool, size_t size, size_t alignment)
{
	struct pool_chunk *chunk = pool->chunks;
	size_t pad;

	if (size > SIZE_MAX / 2)
		return NULL;
	pad = chunk ? -(chunk->size - pool->left) & (alignment - 1) : 0;
	if (!chunk || pad + size > pool->left) {
		chunk = add_chunk(pool, size);
		if (!chunk)
			return NULL;
		pool->left = chunk->size;
		pad = 0;
	}
	pool->left -= pad + size;
	return chunk->data + (chunk->size - pool->left - size);
}

void *pool_take(struct pool *pool, size_t size)
{
	/* The size of a type is a multiple of what it is aligned to. */
	return take(pool, size,
		size % alignof(max_align_t) == 0 ? alignof(max_align_t)
						 : alignof(uint64_t));
}

char *pool_copy(struct pool *pool, const void *bytes, size_t size)
{
	char *copy = size < SIZE_MAX ? take(pool, size + 1, 1) : NULL;

	if (!copy)
		return NULL;
	if (size > 0)
		memcpy(copy, bytes, size);
	copy[size] = '\0';
	return copy;
}

void pool_free(struct pool *pool)
{
	while (pool->chunks) {
		struct pool_chunk *older = pool->chunks->older;

		free(pool->chunks);
		pool->chunks = older;
	}
	pool->left = 0;
	pool->bytes = 0;
	pool->failed = false;
}
