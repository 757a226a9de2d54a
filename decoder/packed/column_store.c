#include "decoder/packed/column_store.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Small ones as long as little is taken, since many logs may be open at once.
 */
#define CHUNK_LEAST ((size_t)2 << 10)
#define CHUNK_MOST ((size_t)64 << 10)

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

static void free_chunks(struct column_chunk *chunk)
{
	while (chunk) {
		struct column_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
}

/* Spare ones that are all too small are not kept for ever. */
static struct column_chunk *make_chunk(struct column_store *store, size_t size)
{
	struct column_chunk *chunk;

	if (store->held > COLUMN_STORE_MAX) {
		for (chunk = store->spare; chunk; chunk = chunk->next)
			store->held -= chunk->size;
		free_chunks(store->spare);
		store->spare = NULL;
	}
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk)
		return NULL;
	chunk->size = size;
	store->held += size;
	return chunk;
}

static bool add_chunk(struct column_store *store, size_t size)
{
	size_t wish = store->total / 8;
	struct column_chunk *chunk = take_spare(store, size);

	if (wish < CHUNK_LEAST)
		wish = CHUNK_LEAST;
	if (wish > CHUNK_MOST)
		wish = CHUNK_MOST;
	if (size > wish / 2)
		wish = size;
	if (!chunk)
		chunk = make_chunk(store, wish);
	if (!chunk)
		return false;
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

void column_store_free(struct column_store *store)
{
	free_chunks(store->chunks);
	free_chunks(store->spare);
	*store = (struct column_store){0};
}
