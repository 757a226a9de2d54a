/*
 * turns RESULT CALLS: what a printf costs threads that share an output, in
 * nanoseconds; to the file RESULT a line for each way in which they do, with
 * the mean of all calls:
 *
 *	one	thread alone
 *	free	two, at the same time
 *	bursts	two; one goes on for 1,000 lines with a mutex, then the other
 *	turns	two, a line each, in turns by a flag: with the way of the flag
 *		from one core to the other, which is `flag`
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "tests/bench/measure.h"

enum { BURST = 1000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic long turn;
static pthread_barrier_t begin;
static long calls;
static const char *way;

static void say(long me, long i)
{
	printf("call number %ld of thread %ld\n", i, me);
}

static void in_bursts(long me)
{
	for (long i = 0; i < calls; i += BURST) {
		pthread_mutex_lock(&mutex);
		for (long j = 0; j < BURST; j++)
			say(me, i + j);
		pthread_mutex_unlock(&mutex);
	}
}

static void in_turns(long me)
{
	for (long i = 0; i < calls; i++) {
		/* The other one may wait for a core. */
		for (long j = 1;
			atomic_load_explicit(&turn, memory_order_acquire) != me;
			j++)
			if (j % 10000 == 0)
				sched_yield();
		if (*way == 't')
			say(me, i);
		atomic_store_explicit(&turn, !me, memory_order_release);
	}
}

static void *speak(void *number)
{
	long me = (long)number;

	if (*way != 'o')
		pthread_barrier_wait(&begin);
	if (*way == 'b')
		in_bursts(me);
	else if (*way == 't' || strcmp(way, "flag") == 0)
		in_turns(me);
	else
		for (long i = 0; i < calls; i++)
			say(me, i);
	return NULL;
}

static double measure(void)
{
	bool is_one = *way == 'o';
	double start = nanoseconds();
	pthread_t thread;

	if (!is_one)
		pthread_create(&thread, NULL, speak, (void *)1);
	speak((void *)0);
	if (!is_one)
		pthread_join(thread, NULL);
	return (nanoseconds() - start) / (double)calls;
}

int main(int argc, char **argv)
{
	static const char *const ways[] = {
		"one", "free", "bursts", "turns", "flag"};
	FILE *out = argc < 3 ? NULL : fopen(argv[1], "w");

	if (!out)
		return 2;
	calls = atol(argv[2]) / BURST * BURST;
	pthread_barrier_init(&begin, NULL, 2);
	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		way = ways[i];
		fprintf(out, "%s %.2f\n", way, measure());
	}
	return fclose(out) != 0;
}
