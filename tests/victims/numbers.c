/*
 * numbers TIMES [SEED [pieces]]: messages whose arguments are numbers of every kind, so
 * that each text says the whole value: few and many values, steps, constants,
 * negative and unsigned ones, doubles of a few digits and of all, not finite
 * ones, long doubles; two threads, one of which is called "second".
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

static long times;
static bool pieces;
static char large[100000]; /* one call, in several pieces */
static _Thread_local uint64_t state;

/* Of splitmix64. */
static uint64_t next(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void say_integers(long i)
{
	printf("step=%ld odd=%d\n", 1000 + 7 * i, (int)(i & 1));
	printf("signed: %d short %hhd\n", (int)next() >> next() % 20,
		(int)next());
	printf("hash %" PRIx64 " of %p\n", next(), (void *)(next() >> 16));
	if (i % 5 == 0)
		printf("size=%u from %s\n", (unsigned)(next() >> next() % 64),
			next() % 3 ? "eth0" : "lo");
}

static void say_floats(long i)
{
	printf("took %0.3f ms, ratio=%.17g\n",
		(double)(next() % 100000) / 1000,
		ldexp((double)next(), (int)(next() % 80) - 100));
	printf("long=%.20Lg\n", (long double)(int64_t)next() / 65536);
	if (i % 50 == 0)
		printf("odd one %g\n", i % 100 ? HUGE_VAL : -NAN);
	fprintf(stderr, "size=%zu\n", (size_t)(next() % 5000));
	if (i % 10 == 0)
		syslog(LOG_WARNING, "size=%d", -(int)(next() % 300));
}

static void *say(void *seed)
{
	long i;

	state = (uint64_t)(uintptr_t)seed;
	for (i = 0; i < times; i++) {
		say_integers(i);
		if (next() % 4)
			say_floats(i);
		if (i % 100 == 0)
			puts("constant");
	}
	fputs("in ", stdout);
	fputs("pieces\n", stdout);
	if (pieces)
		fwrite(large, 1, sizeof(large), stdout);
	return NULL;
}

int main(int argc, char **argv)
{
	uintptr_t seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	pthread_t second;

	times = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
	pieces = argc > 3;
	memset(large, 'x', sizeof(large));
	pthread_create(&second, NULL, say, (void *)(seed + 1));
	pthread_setname_np(second, "second");
	say((void *)seed);
	pthread_join(second, NULL);
	return 0;
}
