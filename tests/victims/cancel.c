/*
 * cancel deferred|asynchronous N LINES: N threads, one after the other, print
 * numbered lines until they are cancelled, at a random moment; after so many
 * lines they wait for it.  Then a cleanup handler and a destructor print, and
 * main does.  Descriptor 9 gets for each
 * thread how many prints have returned, and at the end by how many KiB the
 * memory in use has grown since a tenth of the threads.  Natively an
 * asynchronous one may hang.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile long returned, thread;
static long lines;
static int asynchronous;
static pthread_key_t key;

static void cleanup(void *number)
{
	printf("cleanup %ld\n", (long)number);
}

static void destructor(void *number)
{
	fprintf(stderr, "destructor %ld\n", (long)number);
}

static __attribute__((noinline)) void say(long number, long i, int depth)
{
	volatile char frame[48];

	frame[0] = (char)depth;
	if (depth > 0)
		say(number, i, depth - 1);
	else if (i % 2)
		printf("thread %ld line %ld\n", number, i);
	else
		printf("thread %ld line %ld %s\n", number, i,
			"abcdefghijklmnopqrstuvwxyz");
	frame[1] = frame[0];
}

static void *print(void *argument)
{
	const long number = (long)argument;

	pthread_setspecific(key, argument);
	pthread_cleanup_push(cleanup, argument);
	if (asynchronous)
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (long i = 0; i < lines; i++) {
		say(number, i, (int)(i % 3));
		returned = i + 1;
	}
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return NULL;
}

/* Private memory in use, KiB. */
static long resident(void)
{
	char line[128];
	long size = 0;
	FILE *file = fopen("/proc/self/status", "r");

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "RssAnon: %ld", &size);
	if (file)
		fclose(file);
	return size;
}

int main(int argc, char **argv)
{
	const long wanted = argc > 2 ? atol(argv[2]) : 10;
	long before = 0;
	pthread_t id;
	void *result;

	lines = argc > 3 ? atol(argv[3]) : 1000;
	asynchronous = argc > 1 && strcmp(argv[1], "asynchronous") == 0;
	pthread_key_create(&key, destructor);
	for (thread = 1; thread <= wanted; thread++) {
		const long enough = 1 + rand() % (lines < 1000 ? lines : 1000);

		returned = 0;
		if (pthread_create(&id, NULL, print, (void *)thread) != 0)
			return 2;
		while (returned < enough)
			sched_yield();
		pthread_cancel(id);
		pthread_join(id, &result);
		if (result != PTHREAD_CANCELED)
			return 3;
		dprintf(9, "%ld %ld\n", thread, returned);
		printf("main %ld\n", thread);
		if (thread == wanted / 10)
			before = resident();
	}
	dprintf(9, "grown %ld\n", resident() - before);
	return 0;
}
