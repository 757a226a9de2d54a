/*
 * messages RESULT [NAME...] [OPTION=N...]: what it costs its caller to say the
 * six messages of messages.h, or those named, in nanoseconds per call: the
 * fastest batch of calls, the median and the mean of all, to the file RESULT.
 * How it is said is what the header PEER has (peers/).  Calibrates itself with
 * bare rdtsc and with a fixed snprintf; `turn` is all messages, one by one.
 *
 *	frames=5	depth of the stack at the call, _start included
 *	calls=20000	in a batch
 *	batches=15
 *	threads=1	that say the same at the same time
 *	pause=0		microseconds after each batch, for who writes later
 *	populate=0	1: maps the capture's pages between batches
 */
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "tests/bench/measure.h"
#include "tests/bench/populate.h"
#include PEER

#define BATCHES_MAX 4000
#define THREADS_MAX 2

static volatile unsigned sink;

static void rdtsc(long calls)
{
	for (long i = 0; i < calls; i++)
		sink += (unsigned)ticks();
}

static void fixed_snprintf(long calls)
{
	char text[128];

	for (long i = 0; i < calls; i++)
		sink += (unsigned)snprintf(text, sizeof(text),
			"buffer has consumed %u bytes of extra storage, "
			"current allocation: %u bytes",
			1032024u, 1016544u);
}

#define FUNCTION(name, call)                                                   \
	static void name(long calls)                                           \
	{                                                                      \
		for (long i = 0; i < calls; i++)                               \
			call;                                                  \
	}
MESSAGES(FUNCTION)

#define AND_THEN(name, call) call;
static void turn(long calls)
{
	for (long i = 0; i + 6 <= calls; i += 6) {
		MESSAGES(AND_THEN)
	}
}

struct subject {
	const char *name;
	void (*call)(long calls);
};

#define LINE(name, call) {#name, name},
static const struct subject subjects[] = {
	{"rdtsc", rdtsc},
	{"snprintf", fixed_snprintf},
	MESSAGES(LINE){"turn", turn},
};

#define SUBJECTS ((int)(sizeof(subjects) / sizeof(*subjects)))

static bool wanted[SUBJECTS];
static double took[SUBJECTS][THREADS_MAX * BATCHES_MAX];
static long frames, calls, batches, threads, pause_of, populates;
static pthread_barrier_t barrier;

static __attribute__((noinline)) void call_deeper(
	const struct subject *subject, long more)
{
	if (more > 1)
		call_deeper(subject, more - 1);
	else
		subject->call(calls);
	__asm__ volatile("");
}

/* Between batches: what is not to be measured. */
static void rest(long thread)
{
	if (threads > 1)
		pthread_barrier_wait(&barrier);
	if (pause_of)
		usleep((unsigned)pause_of);
	if (populates && thread == 0 && !populate_blocks()) {
		fprintf(stderr, "messages: cannot populate the capture\n");
		_exit(3);
	}
	if (threads > 1)
		pthread_barrier_wait(&barrier);
}

/* Turn by turn, so that all meet the same states of the machine.  Part of its
 * caller, as it would be one more frame. */
static inline __attribute__((always_inline)) void measure(
	long thread, long more)
{
	for (long b = -1; b < batches; b++)
		for (int s = 0; s < SUBJECTS; s++) {
			double start;

			if (!wanted[s])
				continue;
			rest(thread);
			start = nanoseconds();
			if (more > 0)
				call_deeper(&subjects[s], more);
			else
				subjects[s].call(calls);
			if (b >= 0)
				took[s][thread * batches + b] =
					(nanoseconds() - start) / (double)calls;
		}
}

/* 4 frames: a message, this, and two of libc. */
static void *measure_thread(void *number)
{
	keep_to_core((int)(long)number);
	measure((long)number, frames - 4);
	return NULL;
}

static bool is_named(char **argv, const char *name)
{
	bool any = false;

	for (; *argv; argv++) {
		if (strcmp(*argv, name) == 0)
			return true;
		any |= !strchr(*argv, '=');
	}
	return !any;
}

static void report(FILE *out)
{
	long values = batches * threads;

	for (int s = 0; s < SUBJECTS; s++) {
		double sum = 0;

		if (!wanted[s])
			continue;
		for (long i = 0; i < values; i++)
			sum += took[s][i];
		qsort(took[s], (size_t)values, sizeof(double), by_value);
		fprintf(out, "%s %.3f %.3f %.3f\n", subjects[s].name,
			took[s][0], took[s][values / 2], sum / (double)values);
	}
}

int main(int argc, char **argv)
{
	pthread_t second;
	FILE *out;

	if (argc < 2)
		return 2;
	out = fopen(argv[1], "w");
	frames = option(argv, "frames", 5);
	calls = option(argv, "calls", 20000);
	batches = option(argv, "batches", 15);
	threads = option(argv, "threads", 1);
	pause_of = option(argv, "pause", 0);
	populates = option(argv, "populate", 0);
	if (!out || batches > BATCHES_MAX || threads > THREADS_MAX)
		return 2;
	for (int s = 0; s < SUBJECTS; s++)
		wanted[s] = is_named(argv + 2, subjects[s].name);
	peer_begin();
	if (threads > 1) {
		pthread_barrier_init(&barrier, NULL, THREADS_MAX);
		pthread_create(&second, NULL, measure_thread, (void *)1);
		/* Not the first thread: both have the same frames. */
		pthread_t first;
		pthread_create(&first, NULL, measure_thread, NULL);
		pthread_join(first, NULL);
		pthread_join(second, NULL);
	} else {
		/* 5 frames: a message, this, and three of libc. */
		keep_to_core(0);
		measure(0, frames - 5);
	}
	report(out);
	return fclose(out) != 0;
}
