/*
 * Backtraces inside a stranger's process.  Called by the slow path of capture
 * on the stack of the call that is being recorded; promises to take no lock,
 * to allocate nothing, to open nothing, to be safe in signal handlers, and
 * never to touch memory that is not mapped.  Two backends: `cfi`, the default,
 * which also lists every word it has read, so that a later call can prove by
 * re-reading them that its stack is the same; and `libunwind`, for comparison,
 * which cannot.
 */
#ifndef SHIM_UNWIND_H
#define SHIM_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#define UNWIND_FRAMES_MAX 64
#define UNWIND_WORDS_MAX 96

/* Where the recorded call was made: the registers as its caller has them. */
struct unwind_start {
	uintptr_t pc; /* return address of the recorded call */
	uintptr_t sp; /* stack pointer after its return (the CFA) */
	uintptr_t fp; /* rbp or x29 */
};

#if defined(__aarch64__)
/*
 * Where a signal has interrupted this thread, for a walk that begins there: a
 * function that makes no call may have its return address in the register x30
 * only.  Whoever handles the signal sets it before.
 */
struct unwind_interrupted {
	uintptr_t pc; /* as it will be in a struct unwind_start */
	uintptr_t sp;
	uintptr_t link;
};

extern HIDDEN __thread struct unwind_interrupted unwind_interrupted
	__attribute__((tls_model("initial-exec")));
#endif

struct unwind_word {
	uintptr_t address;
	uintptr_t value;
};

/*
 * The result, and scratch space of the caller's (3 KiB: never on the host's
 * stack).  `pc` are return addresses, innermost first, pc[0] = start.pc; the
 * one after the trampoline of a signal is the interrupted instruction itself.
 */
struct unwind_trace {
	uint16_t depth;
	uint16_t words;	 /* used of `word`, innermost first */
	uint64_t exact;	 /* bit i: pc[i] is not after a call, but itself where
			    execution goes on: around a signal */
	bool repeatable; /* equal pc, sp, (fp) and words: equal result */
	bool needs_fp;	 /* the result depends on start.fp, too */
	/* Every call from pc[0] has pc[1] at this distance from sp or fp; 0:
	 * not known. */
	int32_t caller_offset;
	bool caller_by_fp;
	uintptr_t pc[UNWIND_FRAMES_MAX];
	struct unwind_word word[UNWIND_WORDS_MAX];
};

struct unwind_cache;

/*
 * Bytes of a cache; the caller provides one per writer, zeroed at first and
 * aligned to 16.
 */
extern const uint32_t unwind_cache_bytes;

/*
 * Chooses the backend: `libunwind` when asked for by name and loadable, else
 * `cfi`.  Once, from the constructor (may load a
 * library).  Null: the default.
 */
void unwind_select(const char *name);

/*
 * Walks at most max_depth (1 to UNWIND_FRAMES_MAX) frames.  Always delivers
 * at least pc[0].  `cache` remembers the rules of program counters and is
 * used by one writer only; unwind_forget() after a library was unloaded.
 */
void unwind_walk(const struct unwind_start *start, unsigned max_depth,
	struct unwind_cache *cache, struct unwind_trace *trace);
void unwind_forget(struct unwind_cache *cache);

/* The stack last walked may be gone, or a walk was left in the middle. */
void unwind_leave(struct unwind_cache *cache);

/* An address in the library that unwinds for us, which asks the kernel by
 * syscall(); 0: there is none. */
extern __attribute__((visibility("hidden"))) uintptr_t unwind_library;

#endif
