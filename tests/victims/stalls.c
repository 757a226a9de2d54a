/*
 * stalls SECONDS: a thousand calls a second; tells on descriptor 9 how long
 * they took: number, median, 99.99 %, most; microseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	long count = argc > 1 ? atol(argv[1]) * 1000 : 1000;
	double *took = calloc((size_t)count, sizeof(*took));

	for (long i = 0; i < count; i++) {
		double start = now();

		/* Much, so that new pages and blocks are met often. */
		for (int n = 0; n < 10; n++)
			printf("message %ld of %d: %s and %f\n", i, n,
				"some text that is a little longer", 0.5);
		took[i] = now() - start;
		nanosleep(&pause, NULL);
	}
	qsort(took, (size_t)count, sizeof(*took), compare);
	dprintf(9, "%ld %.1f %.1f %.1f\n", count, took[count / 2],
		took[count - 1 - count / 10000], took[count - 1]);
	return 0;
}
