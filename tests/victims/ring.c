/*
 * Says numbers, each thread its own, as fast as it can or so many in a second:
 * what a ring holds has to end in the last one, with none missing before it.
 *
 *	ring THREADS SECONDS RATE	0: as fast as it can, and for ever
 *
 * Each thread counts in memory that outlives it what it is about to say, and
 * what it has said: `counts`, a file.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define THREADS 64

static uint64_t (*counts)[8];
static double seconds, rate;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static void *talk(void *argument)
{
	int thread = (int)(intptr_t)argument;
	uint64_t *count = counts[thread];
	double start = now();
	uint64_t i;

	for (i = 1;; i++) {
		__atomic_store_n(&count[0], i, __ATOMIC_RELEASE);
		printf("%d %lu\n", thread, i);
		__atomic_store_n(&count[1], i, __ATOMIC_RELEASE);
		if (i % 256 == 0) {
			if (seconds > 0 && now() - start > seconds)
				break;
			while (rate > 0 && (now() - start) * rate < i)
				usleep(200);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t thread[THREADS];
	int fd = open("counts", O_RDWR | O_CREAT, 0600);
	int i;

	if (argc < 4 || threads > THREADS || fd < 0 ||
		ftruncate(fd, sizeof(counts[0]) * THREADS))
		return 2;
	counts = mmap(NULL, sizeof(counts[0]) * THREADS, PROT_READ | PROT_WRITE,
		MAP_SHARED, fd, 0);
	seconds = atof(argv[2]);
	rate = atof(argv[3]) / threads;
	for (i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, talk, (void *)(intptr_t)i);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
