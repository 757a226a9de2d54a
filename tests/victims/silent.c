/*
 * silent COUNT MEGABYTES [early]: that many forks of a process with so much
 * memory in use, by children that say nothing; the program itself speaks at its
 * end, and with `early` at its beginning, too.  Descriptor 9 gets the
 * microseconds that each fork took: by the clock, and of processor time.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double spent(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double spent_by_all(void)
{
	return spent(RUSAGE_SELF) + spent(RUSAGE_CHILDREN);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;
	size_t bytes = (argc > 2 ? (size_t)atoi(argv[2]) : 0) << 20;
	char *memory = malloc(bytes + 1);
	double clock, processor;
	int failed = 0;

	memset(memory, 1, bytes + 1);
	if (argc > 3) {
		printf("%d forks follow\n", count);
		fflush(stdout);
	}
	clock = clock_now();
	processor = spent_by_all();
	for (int i = 0; i < count; i++) {
		pid_t child = fork();
		int status = -1;

		if (child == 0)
			_exit(0);
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			failed++;
	}
	processor = spent_by_all() - processor;
	clock = clock_now() - clock;
	dprintf(9, "%.1f %.1f\n", clock / count, processor / count);
	printf("%d forks, %d failed\n", count, failed);
	return failed != 0;
}
