/*
 * When each thread last had a line, by how important that was.  Asked by the
 * style that shows columns, once for each line.  Bounded: of too many threads
 * all are forgotten.
 */
#ifndef DECODER_THREAD_PAST_H
#define DECODER_THREAD_PAST_H

#include "base/id_map.h"
#include "base/pool.h"
#include "rules/levels.h"

struct program;

#define THREAD_PAST_LEVELS (LEVEL_LAST + 1)

/* Zeros: never. */
struct thread_past {
	const struct program *program;
	uint32_t tid;
	uint64_t last; /* ticks */
	uint64_t levels[THREAD_PAST_LEVELS];
};

/* All zeros is none. */
struct thread_pasts {
	struct id_map map;
	struct pool pool;
};

/* Of this thread, to be filled.  Null: out of memory. */
struct thread_past *thread_past_find(struct thread_pasts *pasts,
	const struct program *program, uint32_t tid);

/* The last line that was as important, or more; 0: there was none. */
uint64_t thread_past_outer(const struct thread_past *past, int level);

void thread_past_free(struct thread_pasts *pasts);

#endif
