/*
 * What the tests of the unwinder share: probe() walks the stack of its caller
 * with both backends and with libc's backtrace(), which is the oracle.
 */
#ifndef TESTS_UNWIND_PROBE_H
#define TESTS_UNWIND_PROBE_H

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>

#include "shim/host/objects.h"
#include "shim/unwind/cfi.h"
#include "shim/unwind/unwind.h"

/* Frames whose size is known at run time only are what is to be tested. */
#pragma GCC diagnostic ignored "-Walloca"

#define NOINLINE __attribute__((noinline, noclone))
/* After the call of a function that must have a frame: no tail call. */
#define STAY() __asm__ volatile("" : : : "memory")
/* Keeps an object in memory. */
#define USE(object) __asm__ volatile("" : : "r"(object) : "memory")

struct probe {
	unsigned max_depth;
	struct unwind_start start;
	struct unwind_trace cfi, libunwind;
	unsigned depth; /* of the oracle */
	uintptr_t pc[UNWIND_FRAMES_MAX];
	const struct probe *kept; /* an earlier one, or null */
	int kept_repeats;
};

static __attribute__((constructor)) void probe_begin(void)
{
	*(void **)(uintptr_t)&objects_ask =
		dlsym(RTLD_DEFAULT, "_dl_find_object");
}

static _Alignas(64) char probe_cache[2][32 * 1024];

static inline struct unwind_cache *probe_cache_of(unsigned backend)
{
	return (struct unwind_cache *)probe_cache[backend];
}

/* The oracle's frames from start.pc on. */
static inline void probe_oracle(struct probe *probe)
{
	static void *frame[UNWIND_FRAMES_MAX + 16];
	int depth = backtrace(frame, UNWIND_FRAMES_MAX + 16), i = 0;

	while (i < depth && (uintptr_t)frame[i] != probe->start.pc)
		i++;
	probe->depth = 0;
	while (i < depth && probe->depth < probe->max_depth)
		probe->pc[probe->depth++] = (uintptr_t)frame[i++];
}

/* Expands to the registers as the caller of this function has them. */
#define PROBE_START                                                            \
	{                                                                      \
		.pc = (uintptr_t)__builtin_return_address(0),                  \
		.sp = (uintptr_t)__builtin_frame_address(0) + 16,              \
		.fp = *(uintptr_t *)__builtin_frame_address(0),                \
	}

static inline void probe_cfi(struct probe *probe)
{
	unwind_walk(&probe->start, probe->max_depth, probe_cache_of(0),
		&probe->cfi);
}

/* What a caller does that has kept a trace: reads its words again. */
static inline int probe_repeats(
	const struct probe *old, const struct unwind_start *start)
{
	if (!old->cfi.repeatable || old->start.pc != start->pc ||
		old->start.sp != start->sp ||
		(old->cfi.needs_fp && old->start.fp != start->fp))
		return 0;
	for (unsigned i = 0; i < old->cfi.words; i++)
		if (*(uintptr_t *)old->cfi.word[i].address !=
			old->cfi.word[i].value)
			return 0;
	return 1;
}

static NOINLINE __attribute__((unused)) void probe(struct probe *probe)
{
	probe->start = (struct unwind_start)PROBE_START;
	probe_cfi(probe);
	probe_oracle(probe);
	unwind_select("libunwind");
	unwind_walk(&probe->start, probe->max_depth, probe_cache_of(1),
		&probe->libunwind);
	unwind_select(NULL);
	probe->kept_repeats =
		probe->kept && probe_repeats(probe->kept, &probe->start);
	STAY();
}

static inline int probe_is_exact(
	const struct probe *probe, const struct unwind_trace *trace)
{
	return trace->depth == probe->depth &&
	       memcmp(trace->pc, probe->pc,
		       probe->depth * sizeof(*probe->pc)) == 0;
}

#endif
