/*
 * messages FRAMES RESULT: what one printf costs its caller, for the six
 * messages of NanoLog's benchmark and their mix, called FRAMES frames deep.
 * An ordinary program that knows nothing of binlog: it prints to stdout, and
 * its figures (nanoseconds per call: minimum and median of the repetitions)
 * to the file RESULT.  Calibrates itself with bare rdtsc and a fixed snprintf.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define REPETITIONS 15
#define CALLS 20000

static volatile unsigned sink;

static uint64_t ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

static double nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void m1(void)
{
	fprintf(stdout, "Starting backup replica garbage collector thread\n");
}

static void m2(void)
{
	fprintf(stdout, "Opened session with coordinator at %s\n",
		"basic+udp:host=192.168.1.140,port=12246");
}

static void m3(void)
{
	fprintf(stdout, "Backup storage speeds (min): %d MB/s read\n", 181);
}

static void m4(void)
{
	fprintf(stdout,
		"buffer has consumed %u bytes of extra storage, "
		"current allocation: %u bytes\n",
		1032024u, 1016544u);
}

static void m5(void)
{
	fprintf(stdout, "Using tombstone ratio balancer with ratio = %0.6lf\n",
		0.4);
}

static void m6(void)
{
	fprintf(stdout,
		"Initialized InfUdDriver buffers: %u receive buffers (%u MB), "
		"%u transmit buffers (%u MB), took %0.1lf ms\n",
		50000u, 97u, 50u, 0u, 26.2);
}

static void calibrate_rdtsc(void)
{
	sink += (unsigned)ticks();
}

static void calibrate_snprintf(void)
{
	char text[128];

	sink += (unsigned)snprintf(text, sizeof(text),
		"buffer has consumed %u bytes of extra storage, "
		"current allocation: %u bytes",
		1032024u, 1016544u);
}

static const struct {
	const char *name;
	void (*call)(void);
} subjects[] = {
	{"rdtsc", calibrate_rdtsc},
	{"snprintf", calibrate_snprintf},
	{"m1", m1},
	{"m2", m2},
	{"m3", m3},
	{"m4", m4},
	{"m5", m5},
	{"m6", m6},
};

#define SUBJECTS (sizeof(subjects) / sizeof(*subjects))

static double result[SUBJECTS][REPETITIONS];

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(void)
{
	/* Turn by turn, so that all meet the same states of the machine. */
	for (int r = 0; r < REPETITIONS; r++)
		for (size_t s = 0; s < SUBJECTS; s++) {
			double start = nanoseconds();

			for (int i = 0; i < CALLS; i++)
				subjects[s].call();
			result[s][r] = (nanoseconds() - start) / CALLS;
		}
}

/* So many frames between main and the loop. */
static __attribute__((noinline)) void descend(int frames)
{
	if (frames > 0)
		descend(frames - 1);
	else
		measure();
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	double min_sum = 0, median_sum = 0;
	FILE *out;

	if (argc != 3)
		return 2;
	out = fopen(argv[2], "w");
	if (!out)
		return 2;
	descend(atoi(argv[1]));
	for (size_t s = 0; s < SUBJECTS; s++) {
		qsort(result[s], REPETITIONS, sizeof(double), by_value);
		fprintf(out, "%s %.2f %.2f\n", subjects[s].name, result[s][0],
			result[s][REPETITIONS / 2]);
		if (subjects[s].name[0] == 'm') {
			min_sum += result[s][0] / 6;
			median_sum += result[s][REPETITIONS / 2] / 6;
		}
	}
	fprintf(out, "mix %.2f %.2f\n", min_sum, median_sum);
	return fclose(out) != 0;
}
