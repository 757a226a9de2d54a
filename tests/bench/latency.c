/*
 * latency RESULT [OPTION=N...]: one call per microsecond, the six messages in
 * turn: how long the calls took, one by one, as percentiles in nanoseconds, to
 * the file RESULT. Each has the cost of reading the time stamp counter once in
 * it (about 10 ns), and its step.
 *
 *	frames=5	depth of the stack at the call, _start included
 *	calls=1000000
 *	empty=0		1: the calls do nothing: what the machine adds
 *	populate=0	1: maps the capture's pages between calls
 */
#include <stdbool.h>

#include "tests/bench/measure.h"
#include "tests/bench/peers/printf.h"
#include "tests/bench/populate.h"

static const double percentiles[] = {50, 99, 99.9, 99.99};

static long calls, populates;
static double *took;

#define FUNCTION(name, call)                                                   \
	static __attribute__((noinline)) void name(void)                       \
	{                                                                      \
		call;                                                          \
		__asm__ volatile("");                                          \
	}
MESSAGES(FUNCTION)

static __attribute__((noinline)) void nothing(void)
{
	__asm__ volatile("");
}

#define POINTER(name, call) name,
static void (*messages[])(void) = {MESSAGES(POINTER)};

static __attribute__((noinline)) void call_deeper(void (*call)(void), long more)
{
	if (more > 1)
		call_deeper(call, more - 1);
	else
		call();
	__asm__ volatile("");
}

/* A call that comes late does not make the next one come early. */
static uint64_t wait_until(uint64_t due)
{
	uint64_t now;

	if (populates && !populate_blocks())
		exit(3);
	while ((now = ticks()) < due)
		;
	return now;
}

static inline __attribute__((always_inline)) void measure(long more)
{
	double tick = tick_nanoseconds();
	uint64_t microsecond = (uint64_t)(1000 / tick);
	uint64_t due = ticks();

	for (long i = -100; i < calls; i++) {
		void (*call)(void) = messages[(i + 600) % 6];
		uint64_t start, end;

		due = wait_until(due) + microsecond;
		start = ticks();
		if (more > 0)
			call_deeper(call, more);
		else
			call();
		end = ticks();
		if (i >= 0)
			took[i] = (double)(end - start) * tick;
	}
}

int main(int argc, char **argv)
{
	FILE *out = argc < 2 ? NULL : fopen(argv[1], "w");

	if (!out)
		return 2;
	calls = option(argv, "calls", 1000000);
	populates = option(argv, "populate", 0);
	took = calloc((size_t)calls, sizeof(*took));
	if (!took)
		return 2;
	memset(took, 1, (size_t)calls * sizeof(*took));
	if (option(argv, "empty", 0))
		for (int i = 0; i < 6; i++)
			messages[i] = nothing;
	peer_begin();
	keep_to_core(0);
	/* 5 frames: a message, this, and three of libc. */
	measure(option(argv, "frames", 5) - 5);
	qsort(took, (size_t)calls, sizeof(*took), by_value);
	for (int i = 0; i < 4; i++)
		fprintf(out, "p%g %.1f\n", percentiles[i],
			took[(long)((double)calls * percentiles[i] / 100)]);
	fprintf(out, "max %.1f\n", took[calls - 1]);
	return fclose(out) != 0;
}
