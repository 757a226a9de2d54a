/*
 * addresses LIMIT ALLOCATE THREADS: limits its address space to LIMIT MiB (0:
 * as it is), says much, allocates ALLOCATE MiB, starts so many threads, which
 * say much, too, and tells how far it has come.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void *say(void *who)
{
	for (int i = 0; i < 3000; i++)
		printf("thread%ld %d says so\n", (long)who, i);
	return NULL;
}

int main(int argc, char **argv)
{
	struct rlimit space = {atol(argv[1]) << 20, RLIM_INFINITY};
	long allocate = atol(argv[2]), threads = atol(argv[3]), got = 0;
	pthread_t thread[64];
	pthread_attr_t attributes;

	printf("before\n");
	if (space.rlim_cur)
		setrlimit(RLIMIT_AS, &space);
	for (int i = 0; i < 20000; i++)
		printf("main %d has its say\n", i);
	while (got < allocate && malloc(1 << 20))
		got++;
	printf("allocated %ld of %ld\n", got, allocate);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 << 10);
	for (long i = 0; i < threads; i++) {
		if (pthread_create(&thread[i], &attributes, say, (void *)i) !=
			0) {
			printf("no thread %ld\n", i);
			threads = i;
			break;
		}
		pthread_join(thread[i], NULL);
	}
	printf("threads %ld\n", threads);
	return 0;
}
