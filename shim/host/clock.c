#include "shim/host/clock.h"

#include "shim/host/bytes.h"
#include "shim/host/host.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Three system calls take less than this, unless they are interrupted. */
#if defined(__x86_64__)
#define ANCHOR_TICKS 50000u
#else
#define ANCHOR_TICKS (clock_is_tsc ? ticks_per_second() / 50000u : 20000u)
#endif
#define ANCHOR_TRIES 8
/* In which a step passes, unless time stands still. */
#define STEP_TRIES 1000

/* What the kernel's own time is made of. */
#define SOURCE                                                                 \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

bool clock_is_tsc;

/* While time stands still: the last moment, and what ticks were before. */
static bool frozen;
static bool frozen_was_tsc;
static struct binlog_anchor frozen_at;
/* Since then.  Not in the anchor: clang calls a library to add to what may lie
 * at any multiple of 4. */
static uint64_t frozen_steps;

#if defined(__x86_64__)
/* CPUID 0x80000007, EDX bit 8: invariant TSC (Intel SDM 3, 18.17.1) */
static bool is_invariant(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}

/*
 * The kernel watches the counter, and leaves it when cores disagree or a
 * machine below has changed it.  Where it cannot be asked, the processor is,
 * which takes longer: in a virtual machine each CPUID is an exit.
 */
void clock_choose(void)
{
	char name[8] = "";
	long fd = SYS4(openat, AT_FDCWD, SOURCE, O_RDONLY | O_CLOEXEC, 0);

	if (sys_failed(fd)) {
		clock_is_tsc = is_invariant();
		return;
	}
	SYS3(read, fd, name, sizeof(name) - 1);
	SYS1(close, fd);
	clock_is_tsc = bytes_starts(name, "tsc\n");
}
#else
static uint64_t ticks_per_second(void)
{
	uint64_t frequency;

	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
	return frequency;
}

/* The counter of the architecture is one for all cores and never changes its
 * pace; the kernel itself knows no other. */
void clock_choose(void)
{
	clock_is_tsc = true;
}
#endif

#if !defined(__x86_64__)
/* The counter may be as slow as 1 MHz, and calls follow each other faster. */
void clock_step(void)
{
	uint64_t before = clock_ticks();

	for (int i = 0; i < STEP_TRIES && clock_ticks() == before; i++)
		;
}
#endif

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec now = {0};

	/* The vDSO may be called where system calls are forbidden. */
	if (unlikely(sys_forbidden))
		host_clock_gettime(clock, &now);
	else
		SYS2(clock_gettime, clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

COLD uint64_t clock_ticks_slow(void)
{
	if (frozen)
		return frozen_at.ticks +
		       __atomic_add_fetch(&frozen_steps, 1, __ATOMIC_RELAXED);
	return nanoseconds(CLOCK_MONOTONIC);
}

bool clock_freeze(void)
{
	if (frozen)
		return false;
	clock_anchor(&frozen_at);
	frozen_steps = 0;
	frozen_was_tsc = clock_is_tsc;
	frozen = true;
	clock_is_tsc = false;
	return true;
}

void clock_thaw(void)
{
	if (frozen)
		clock_is_tsc = frozen_was_tsc;
	frozen = false;
}

void clock_anchor(struct binlog_anchor *anchor)
{
	uint64_t least = UINT64_MAX;

	if (unlikely(frozen)) {
		*anchor = frozen_at;
		anchor->ticks += frozen_steps;
		return;
	}
	/* Again if we were interrupted: time would seem to have jumped.  On a
	 * machine that is overloaded all may be: then the shortest counts. */
	for (int i = 0; i < ANCHOR_TRIES && least >= ANCHOR_TICKS; i++) {
		struct binlog_anchor now;
		uint64_t before = clock_ticks();

		now.monotonic = nanoseconds(CLOCK_MONOTONIC);
		now.boottime = nanoseconds(CLOCK_BOOTTIME);
		now.realtime = nanoseconds(CLOCK_REALTIME);
		/* Last: no record that follows may be older. */
		now.ticks = clock_ticks();
		if (now.ticks - before >= least)
			continue;
		least = now.ticks - before;
		*anchor = now;
	}
}
