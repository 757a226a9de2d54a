/*
 * curves RESULT WHAT AMOUNT...: what a printf costs its caller, in nanoseconds,
 * as something grows; to the file RESULT a line for each amount of it, and two
 * figures.
 *
 *	depth	frames on the stack: the fastest batch, the median one
 *	stacks	frames on it, for calls that come from 4096 stacks in turn, so
 *		that none is remembered: the fastest round, the first one
 *	bytes	of a string argument: the fastest batch, the median one
 *	threads	that all live: the mean of their calls, of their first ones
 */
#include <pthread.h>
#include <stdbool.h>

#include "tests/bench/measure.h"

#define NOINLINE __attribute__((noinline))
#define BATCHES 9

struct figures {
	double first;
	double second;
};

static volatile long sink;
static bool is_silent;

static NOINLINE void say_number(long i)
{
	if (is_silent)
		sink += i;
	else
		printf("call number %ld of many\n", i);
}

static struct figures of_batches(double *took)
{
	qsort(took, BATCHES, sizeof(*took), by_value);
	return (struct figures){took[0], took[BATCHES / 2]};
}

/* ---- depth ---- */
enum { DEPTH_CALLS = 20000 };

static NOINLINE void say_deeper(long more)
{
	if (more > 0)
		say_deeper(more - 1);
	else
		for (int i = 0; i < DEPTH_CALLS; i++)
			printf("call number %d of many\n", i);
	__asm__ volatile("");
}

/* 5 frames: the innermost, main (this is part of it), and three of libc. */
static inline __attribute__((always_inline)) struct figures at_depth(long depth)
{
	double took[BATCHES];

	for (int b = 0; b < BATCHES; b++) {
		double start = nanoseconds();

		say_deeper(depth - 5);
		took[b] = (nanoseconds() - start) / DEPTH_CALLS;
	}
	return of_batches(took);
}

/* ---- stacks ---- */
enum {
	LEVELS = 4,
	WAYS_BITS = 3,
	STACKS = 1 << LEVELS * WAYS_BITS,
	STACK_ROUNDS = 25
};

#define WAY(n)                                                                 \
	case n:                                                                \
		branch(path, levels - 1);                                      \
		__asm__ volatile("# %0" ::"i"(n));                             \
		break;

/* Each of the eight calls in here is another place in the program. */
static NOINLINE void branch(long path, int levels)
{
	if (levels == 0) {
		say_number(path);
		__asm__ volatile("");
		return;
	}
	switch (path >> (levels - 1) * WAYS_BITS & 7) {
		WAY(0) WAY(1) WAY(2) WAY(3) WAY(4) WAY(5) WAY(6) WAY(7)
	}
}

static NOINLINE void branch_deeper(long more)
{
	if (more > 0)
		branch_deeper(more - 1);
	else
		for (long path = 0; path < STACKS; path++)
			branch(path, LEVELS);
	__asm__ volatile("");
}

/* 11 frames: the printing one, 5 of branch, branch_deeper, main and three. */
static inline __attribute__((always_inline)) struct figures of_stacks(
	long depth)
{
	struct figures best[2] = {{0, 0}, {0, 0}};

	for (int round = 0; round < 2 * STACK_ROUNDS; round++) {
		struct figures *of = &best[round % 2];
		double start = nanoseconds(), took;

		is_silent = round % 2;
		branch_deeper(depth - 11);
		took = (nanoseconds() - start) / STACKS;
		if (round < 2)
			of->second = took;
		else if (round < 4 || took < of->first)
			of->first = took;
	}
	is_silent = false;
	return (struct figures){
		best[0].first - best[1].first, best[0].second - best[1].first};
}

/* ---- bytes ---- */
enum { BATCH_BYTES = 1 << 20 }; /* so there is a new block in each of them */

static struct figures of_bytes(long bytes)
{
	long calls = BATCH_BYTES / (bytes + 16);
	char *text = malloc((size_t)bytes + 1);
	double took[BATCHES];

	if (!text)
		exit(2);
	memset(text, 'x', (size_t)bytes);
	text[bytes] = 0;
	for (int b = 0; b < BATCHES; b++) {
		double start = nanoseconds();

		for (long i = 0; i < calls; i++)
			printf("text %s\n", text);
		took[b] = (nanoseconds() - start) / (double)calls;
	}
	free(text);
	return of_batches(took);
}

/* ---- threads ---- */
enum { THREAD_CALLS = 300, THREAD_ROUNDS = 3, STACK_BYTES = 65536 };

static pthread_barrier_t begin, said_first, said_all;

/* In nanoseconds of the processor: how many run at once does not matter. */
static void *say_in_thread(void *result)
{
	struct figures *took = result;
	double start, first;

	pthread_barrier_wait(&begin);
	start = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
	say_number(0);
	first = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
	took->second = first - start;
	pthread_barrier_wait(&said_first);
	start = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
	for (int i = 0; i < THREAD_CALLS; i++)
		say_number(i);
	first = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
	took->first = (first - start) / THREAD_CALLS;
	pthread_barrier_wait(&said_all);
	return NULL;
}

/* The mean of all. */
static struct figures of_threads_once(long count)
{
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));
	struct figures *took = calloc((size_t)count, sizeof(*took));
	struct figures mean = {0, 0};
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK_BYTES);
	pthread_barrier_init(&begin, NULL, (unsigned)count);
	pthread_barrier_init(&said_first, NULL, (unsigned)count);
	pthread_barrier_init(&said_all, NULL, (unsigned)count);
	for (long i = 0; i < count; i++)
		if (pthread_create(
			    &threads[i], &small, say_in_thread, &took[i]) != 0)
			exit(3);
	for (long i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		mean.first += took[i].first / (double)count;
		mean.second += took[i].second / (double)count;
	}
	free(threads);
	free(took);
	return mean;
}

/* Only in the first round are first calls really the first ones. */
static struct figures of_threads(long count)
{
	struct figures best = of_threads_once(count), silent;

	for (int round = 1; round < THREAD_ROUNDS; round++) {
		struct figures again = of_threads_once(count);

		if (again.first < best.first)
			best.first = again.first;
	}
	is_silent = true;
	silent = of_threads_once(count);
	is_silent = false;
	best.second -= silent.second;
	best.first -= silent.first;
	return best;
}

int main(int argc, char **argv)
{
	FILE *out = argc < 4 ? NULL : fopen(argv[1], "w");
	char what = argc < 4 ? 0 : argv[2][0];

	if (!out)
		return 2;
	if (what != 't')
		keep_to_core(0);
	for (int i = 3; i < argc; i++) {
		long amount = atol(argv[i]);
		struct figures f;

		if (what == 'd')
			f = at_depth(amount);
		else if (what == 's')
			f = of_stacks(amount);
		else if (what == 'b')
			f = of_bytes(amount);
		else
			f = of_threads(amount);
		fprintf(out, "%ld %.2f %.2f\n", amount, f.first, f.second);
		fflush(out);
	}
	return fclose(out) != 0;
}
