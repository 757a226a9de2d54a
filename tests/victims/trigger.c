/*
 * trigger HOW SECONDS RATE: says numbered lines, so many in a second, and after
 * half of the time something happens: a `child` ends with status 3, an `error`
 * is said, a `signal` kills it, or it ends with `status` 3; `nothing`, or it
 * only `waits` for half a second.  The file `times` has first between which times
 * it happened, and then that of each line, in nanoseconds (CLOCK_MONOTONIC).
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LINES 4000000

static uint64_t *times;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void happen(const char *how)
{
	times[0] = times[1] = now();
	if (strcmp(how, "child") == 0) {
		if (fork() == 0) {
			printf("ERROR: this child %s\n", "fails");
			times[0] = now();
			_exit(3);
		}
		wait(NULL);
		times[1] = now();
	} else if (strcmp(how, "error") == 0) {
		printf("ERROR: out of %s\n", "luck");
		times[1] = now();
	} else if (strcmp(how, "signal") == 0) {
		raise(SIGSEGV);
	} else if (strcmp(how, "kill") == 0) {
		raise(SIGKILL);
	} else if (strcmp(how, "status") == 0) {
		exit(3);
	} else if (strcmp(how, "waits") == 0) {
		usleep(500000);
	}
}

int main(int argc, char **argv)
{
	int fd = open("times", O_RDWR | O_CREAT | O_TRUNC, 0600);
	uint64_t start = now();
	uint64_t span, step;
	int happened = 0;
	uint64_t i;

	if (argc < 4 || fd < 0 || ftruncate(fd, sizeof(*times) * LINES))
		return 2;
	times = mmap(NULL, sizeof(*times) * LINES, PROT_READ | PROT_WRITE,
		MAP_SHARED, fd, 0);
	span = atof(argv[2]) * 1e9;
	step = 1e9 / atof(argv[3]);
	for (i = 1; i + 1 < LINES && now() - start < span; i++) {
		if (!happened && now() - start > span / 2) {
			happened = 1;
			happen(argv[1]);
		}
		times[i + 1] = now();
		printf("line %lu\n", i);
		while (now() - start < i * step)
			if (step > 100000)
				usleep(100);
	}
	return 0;
}
