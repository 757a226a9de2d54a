/*
 * A server that answers a hundred requests, one of them slowly; README.md
 * looks for it.  Nothing of binlog is in it.
 */
#include <stdio.h>
#include <syslog.h>
#include <time.h>

static long now(void) /* microseconds */
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void read_disk(int request)
{
	struct timespec pause = {0, request == 37 ? 30000000 : 200000};

	nanosleep(&pause, NULL);
}

static void answer(int request)
{
	long start = now();

	printf("request %d from client %d\n", request, request % 5);
	read_disk(request);
	printf("request %d done, took %ld us\n", request, now() - start);
}

int main(void)
{
	int request;

	syslog(LOG_NOTICE, "listening on port %d", 8080);
	for (request = 1; request <= 100; request++)
		answer(request);
	return 0;
}
