#include "shim/clock.h"

#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool clock_is_tsc;

void clock_choose(void)
{
#if defined(__x86_64__)
	/* CPUID 0x80000007, EDX bit 8: invariant TSC (Intel SDM 3, 18.17.1) */
	unsigned a, b, c, d;

	clock_is_tsc = __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
#endif
}

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec now = {0};

	SYS2(clock_gettime, clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_monotonic(void)
{
	return nanoseconds(CLOCK_MONOTONIC);
}

void clock_anchor(struct binlog_anchor *anchor)
{
	anchor->monotonic = nanoseconds(CLOCK_MONOTONIC);
	anchor->boottime = nanoseconds(CLOCK_BOOTTIME);
	anchor->realtime = nanoseconds(CLOCK_REALTIME);
	/* Last: no record that follows may be older than its anchor. */
	anchor->ticks = clock_ticks();
}
