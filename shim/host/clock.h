/*
 * Time inside the host: ticks for every record, anchors that tie ticks to the
 * clocks of the kernel now and then.  Async-signal-safe, no libc, no vDSO (a
 * program may have replaced clock_gettime).
 */
#ifndef SHIM_CLOCK_H
#define SHIM_CLOCK_H

#include <stdint.h>

#include "record/layout.h"
#include "shim/host/sys.h"

/*
 * Ticks >> CLOCK_EPOCH_SHIFT is an epoch: 2^32 ticks, 1 to 2 s.  A record holds
 * the lower 32 bits of its ticks, and its anchor is of the same epoch.
 */
#if defined(__x86_64__)
#define CLOCK_EPOCH_SHIFT 32
#else
#define CLOCK_EPOCH_SHIFT 28 /* 24 MHz to 1 GHz: 11 s to 0.3 s */
#endif

/* Whether ticks are those of the TSC; set once by clock_choose(). */
extern HIDDEN bool clock_is_tsc;

/*
 * Decides what ticks are: the TSC where the kernel trusts it as its own clock.
 * From startup_arm().
 */
void clock_choose(void);

/* The ticks where the TSC cannot be read: CLOCK_MONOTONIC, nanoseconds. */
uint64_t clock_ticks_slow(void);

/*
 * Strict seccomp and PR_SET_TSC make rdtsc fault, and the vDSO with it: from
 * here on time stands still, but for one tick per record that keeps the order.
 * clock_freeze(): false if it does so already.
 */
bool clock_freeze(void);
void clock_thaw(void);

/* Reads all clocks at once. */
void clock_anchor(struct binlog_anchor *anchor);

/*
 * The ticks now.  Not serializing: one thread's records are ordered by their
 * position, and a serializing read would double the price of a record.
 */
static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
	if (likely(clock_is_tsc)) {
		uint32_t low, high;

		__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
		return (uint64_t)high << 32 | low;
	}
#elif defined(__aarch64__)
	if (likely(clock_is_tsc)) {
		uint64_t ticks;

		__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
		return ticks;
	}
#endif
	return clock_ticks_slow();
}

/* Between this and the ticks nothing changes places, locks included. */
static inline void clock_fence(void)
{
#if defined(__x86_64__)
	__asm__ volatile("lfence" ::: "memory");
#else
	__asm__ volatile("dsb ishld\n\tisb" ::: "memory");
#endif
}

/*
 * Before a thread goes on with another writer: what it says next has a later
 * time than what it said before.
 */
#if defined(__x86_64__)
static inline void clock_step(void)
{
}
#else
void clock_step(void);
#endif

/*
 * Where the kernel keeps the core that the calling thread runs on (restartable
 * sequences); a constant ~0 without them.
 */
static inline const volatile uint32_t *clock_core_address(void)
{
	extern const ptrdiff_t __rseq_offset __attribute__((weak));
	static const uint32_t unknown = ~0u;
	const char *self = sys_thread_pointer();

	/* struct rseq: cpu_id_start, cpu_id (linux/rseq.h) */
	return &__rseq_offset
		       ? (const volatile uint32_t *)(self + __rseq_offset + 4)
		       : &unknown;
}

#endif
