/*
 * What the measuring programs share: clocks, and the smallest and the middle of
 * some values.  They are ordinary programs that know nothing of binlog; C that
 * is C++, too, for the sake of peers that are written in it.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

static inline double nanoseconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline double nanoseconds(void)
{
	return nanoseconds_of(CLOCK_MONOTONIC);
}

/* Of a tick, found out in 20 ms. */
static inline double tick_nanoseconds(void)
{
	double start = nanoseconds(), now;
	uint64_t begun = ticks();

	do
		now = nanoseconds();
	while (now - start < 20e6);
	return (now - start) / (double)(ticks() - begun);
}

static inline int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The calling thread stays on the nth core from behind. */
static inline void keep_to_core(int n)
{
	cpu_set_t all, one;
	int core = CPU_SETSIZE;

	sched_getaffinity(0, sizeof(all), &all);
	for (n %= CPU_COUNT(&all); n >= 0; n--)
		do
			core--;
		while (!CPU_ISSET(core, &all));
	CPU_ZERO(&one);
	CPU_SET(core, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* The number after NAME= among the arguments, or another. */
static inline long option(char **argv, const char *name, long otherwise)
{
	size_t length = strlen(name);

	for (; *argv; argv++)
		if (strncmp(*argv, name, length) == 0 && (*argv)[length] == '=')
			return atol(*argv + length + 1);
	return otherwise;
}

#endif
