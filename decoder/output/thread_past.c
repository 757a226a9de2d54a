#include "decoder/output/thread_past.h"

#include <string.h>

#define BYTES_MAX ((size_t)1 << 20)

static uint32_t hash_of(const struct program *program, uint32_t tid)
{
	uint64_t hash = (uintptr_t)program * 0x9e3779b97f4a7c15u;

	return (uint32_t)(hash >> 32) ^ tid;
}

struct thread_past *thread_past_find(
	struct thread_pasts *pasts, const struct program *program, uint32_t tid)
{
	uint32_t hash = hash_of(program, tid);
	struct thread_past *past = id_map_find(&pasts->map, hash);

	if (past && past->program == program && past->tid == tid)
		return past;
	if (pasts->pool.bytes > BYTES_MAX) {
		thread_past_free(pasts);
		past = NULL;
	}
	if (!past) {
		past = pool_take(&pasts->pool, sizeof(*past));
		if (!past || !id_map_set(&pasts->map, hash, past))
			return NULL;
	}
	*past = (struct thread_past){.program = program, .tid = tid};
	return past;
}

uint64_t thread_past_outer(const struct thread_past *past, int level)
{
	uint64_t latest = 0;
	int i;

	for (i = 0; i <= level && i < THREAD_PAST_LEVELS; i++)
		if (past->levels[i] > latest)
			latest = past->levels[i];
	return latest;
}

void thread_past_free(struct thread_pasts *pasts)
{
	id_map_free(&pasts->map);
	pool_free(&pasts->pool);
}
