/*
 * What unwind.c sees of a way to unwind, and what each of them implements.
 * Included by the unwind files only.  Promises nothing by itself: the
 * contract of walk, forget and leave is the one of unwind.h.
 */
#ifndef SHIM_UNWIND_BACKEND_H
#define SHIM_UNWIND_BACKEND_H

#include "shim/unwind/unwind.h"

/* Room for the largest of the backends, each of which asserts it. */
#if defined(__x86_64__)
#define UNWIND_CACHE_BYTES (24 * 1024 + 64)
#else
#define UNWIND_CACHE_BYTES (32 * 1024 + 64)
#endif

struct unwind_backend {
	void (*walk)(const struct unwind_start *start, unsigned max_depth,
		struct unwind_cache *cache, struct unwind_trace *trace);
	void (*forget)(struct unwind_cache *cache);
	void (*leave)(struct unwind_cache *cache);
};

extern const struct unwind_backend unwind_cfi;

/* Loads the library; null when it is not there or lacks something. */
const struct unwind_backend *unwind_libunwind_load(void);

/* The beginning of every trace: the start, and nothing read so far. */
static inline void unwind_backend_begin(
	struct unwind_trace *trace, uintptr_t pc, bool repeatable)
{
	trace->depth = 1;
	trace->words = 0;
	trace->repeatable = repeatable;
	trace->needs_fp = false;
	trace->exact = 0;
	trace->caller_offset = 0;
	trace->pc[0] = pc;
}

#endif
