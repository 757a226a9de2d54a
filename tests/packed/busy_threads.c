/*
 * busy_threads THREADS TURNS: so many threads, each of which says something
 * before the last one begins and after all have taken so many turns; in each
 * turn each says three things.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TURN_US 50000

static pthread_barrier_t there;
static long turns;

static void *say(void *number)
{
	long thread = (long)number;
	long i;

	printf("thread %ld begins\n", thread);
	pthread_barrier_wait(&there);
	for (i = 0; i < turns; i++) {
		printf("thread %ld takes turn %ld\n", thread, i);
		printf("%f of %s\n", (double)i / 8, "its turns");
		fprintf(stderr, "warning %ld of %ld\n", i, thread);
		usleep(TURN_US);
	}
	pthread_barrier_wait(&there);
	printf("thread %ld ends\n", thread);
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argc > 2 ? atol(argv[1]) : 1;
	pthread_t *ids = calloc((size_t)threads, sizeof(*ids));
	pthread_attr_t attributes;
	long i;

	turns = argc > 2 ? atol(argv[2]) : 1;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	pthread_barrier_init(&there, NULL, (unsigned)threads);
	for (i = 0; i < threads; i++)
		if (!ids || pthread_create(
				    &ids[i], &attributes, say, (void *)i) != 0)
			return 1;
	for (i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
