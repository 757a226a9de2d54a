/*
 * A change that a handler of the same thread comes before or after, never into;
 * without the price of what other threads would need.  Async-signal-safe.
 */
#ifndef SHIM_SIGNAL_EXCHANGE_H
#define SHIM_SIGNAL_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

/* Makes *at `now` if it is `old`. */
static inline bool signal_exchange(uint64_t *at, uint64_t old, uint64_t now)
{
#if defined(__x86_64__)
	bool done;

	__asm__ volatile("cmpxchgq %3, %1"
			 : "+a"(old), "+m"(*at), "=@ccz"(done)
			 : "r"(now)
			 : "memory");
	return done;
#else
	return __atomic_compare_exchange_n(
		at, &old, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

#endif
