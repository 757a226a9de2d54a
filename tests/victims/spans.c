/*
 * Requests that take known times: each prints when it starts and when it is done,
 * and then how long that was by the program's own clock, from inside both calls
 * and from outside.  Requests 1 to 20, of two threads; 7 takes longest, 13 is never
 * done, of 99 only the end is seen, and phases are nested in a thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void pause_for(long ns)
{
	struct timespec t = {0, ns};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

__attribute__((noinline)) static void slow_lookup(int id)
{
	printf("start request %d\n", id);
}

static void request(int id, long ns)
{
	long long before = now(), inside, until;

	if (id == 7)
		slow_lookup(id);
	else
		printf("start request %d\n", id);
	inside = now();
	pause_for(ns);
	until = now();
	if (id != 13)
		printf("done id=%x, %s\n", id, id % 2 ? "odd" : "even");
	printf("own %d: %lld to %lld\n", id, until - inside, now() - before);
}

static void *serve(void *from)
{
	int id;

	for (id = *(int *)from; id <= 20; id += 2)
		request(id, id == 7 ? 600000000 : id * 100000);
	return NULL;
}

static void nested(void)
{
	puts("enter outer");
	pause_for(1000000);
	puts("enter inner");
	pause_for(3000000);
	puts("leave");
	pause_for(1000000);
	puts("leave");
}

/* The end is in another process. */
static void handed_over(void)
{
	printf("queued job %s\n", "a/b\033c");
	fflush(stdout);
	if (fork() == 0) {
		pause_for(2000000);
		printf("job %s finished\n", "a/b\033c");
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
}

int main(void)
{
	int odd = 1, even = 2;
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, serve, &odd);
	pthread_create(&threads[1], NULL, serve, &even);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("done id=%x, %s\n", 99, "odd");
	nested();
	handed_over();
	return 0;
}
