#include "decoder/column_store.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define CHUNK_BYTES ((size_t)64 << 10)

struct column_chunk {
	struct column_chunk *next;
	size_t size; /* of data */
	uint64_t data[];
};

/* One that is large enough, out of those of the batch before. */
static struct column_chunk *take_spare(struct column_store *store, size_t size)
{
	struct column_chunk **place = &store->spare;
	struct column_chunk *chunk;

	while (*place && (*place)->size < size)
		place = &(*place)->next;
	chunk = *place;
	if (chunk)
		*place = chunk->next;
	return chunk;
}

static bool add_chunk(struct column_store *store, size_t size)
{
	size_t wish = size > CHUNK_BYTES / 4 ? size : CHUNK_BYTES;
	struct column_chunk *chunk = take_spare(store, size);

	if (!store->chunks && !chunk && size < CHUNK_BYTES / 16)
		wish = CHUNK_BYTES / 16; /* many small logs may be open */
	if (!chunk) {
		chunk = malloc(sizeof(*chunk) + wish);
		if (!chunk)
			return false;
		chunk->size = wish;
	}
	chunk->next = store->chunks;
	store->chunks = chunk;
	store->used = 0;
	return true;
}

void *column_store_take(struct column_store *store, size_t size)
{
	void *taken;

	if (size > COLUMN_STORE_MAX)
		return NULL;
	size = (size + 7) & ~(size_t)7;
	if (COLUMN_STORE_MAX - store->total < size)
		return NULL;
	if ((!store->chunks || store->chunks->size - store->used < size) &&
		!add_chunk(store, size))
		return NULL;
	taken = (char *)store->chunks->data + store->used;
	store->used += size;
	store->total += size;
	return taken;
}

struct column_store_mark column_store_mark(const struct column_store *store)
{
	return (struct column_store_mark){
		store->chunks, store->used, store->total};
}

void column_store_return(
	struct column_store *store, struct column_store_mark mark)
{
	while (store->chunks != mark.chunk) {
		struct column_chunk *chunk = store->chunks;

		store->chunks = chunk->next;
		chunk->next = store->spare;
		store->spare = chunk;
	}
	store->used = mark.used;
	store->total = mark.total;
}

void column_store_reset(struct column_store *store)
{
	column_store_return(store, (struct column_store_mark){0});
}

static void free_chunks(struct column_chunk *chunk)
{
	while (chunk) {
		struct column_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
}

void column_store_free(struct column_store *store)
{
	free_chunks(store->chunks);
	free_chunks(store->spare);
	*store = (struct column_store){0};
}
