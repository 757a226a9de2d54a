/*
 * startup TIMES LIBRARY DIR PROGRAM...: starts a program so often, in turn
 * alone, with the library preloaded, and with it and BINLOG_DISABLE; prints
 * the median times of each, in microseconds from the start to the end.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WAYS = 3, TIMES_MAX = 20000 };

static double took[WAYS][TIMES_MAX];

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
	int times = atoi(argv[1]);
	char preload[4096], directory[4096];
	char *alone[] = {"PATH=/bin", "X=1", "Y=1", NULL};
	char *with[] = {"PATH=/bin", preload, directory, NULL};
	char *inert[] = {preload, directory, "BINLOG_DISABLE=1", NULL};
	char **environments[WAYS] = {alone, with, inert};

	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", argv[2]);
	snprintf(directory, sizeof(directory), "BINLOG_DIR=%s", argv[3]);
	for (int i = 0; i < times * WAYS; i++) {
		double start = now();
		int status;
		pid_t child;

		if (posix_spawn(&child, argv[4], NULL, NULL, argv + 4,
			    environments[i % WAYS]) != 0)
			return 1;
		waitpid(child, &status, 0);
		took[i % WAYS][i / WAYS] = now() - start;
	}
	for (int way = 0; way < WAYS; way++) {
		qsort(took[way], times, sizeof(double), compare);
		printf("%.0f ", took[way][times / 2]);
	}
	puts("");
	return argc < 0;
}
