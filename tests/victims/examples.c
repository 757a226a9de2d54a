/*
 * Says what the examples of README.md and of the manual look for, so that
 * they can be run as they stand there (t_examples).
 *
 *   examples        answers twenty requests
 *   examples trace  one request that takes long
 *   examples fails  says why, and ends with 1
 *
 * With EXAMPLES_LIVE in its environment it goes on until it is ended, five
 * minutes at most.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

static void answer(int request, int took)
{
	printf("start request %d\n", request);
	printf("start id=%d\n", request);
	printf("request %d took %d us\n", request, took);
	printf("done request %d\n", request);
	printf("done id=%d\n", request);
	printf("sent size=%d name=%s\n", request % 2 ? 8192 : 60,
		request % 4 == 1 ? "eth0" : "wlan0");
	printf("waiting for a socket, port=%d\n", request + 20);
	if (request % 10 == 0)
		fprintf(stderr, "warning: timeout of request %d\n", request);
}

static void parse_line(int number)
{
	printf("Accepted %s:%d\n", "127.0.0.1", 50000 + number);
}

/* It has the name of the thread in the examples. */
static void *work(void *forever)
{
	int tries = 0;

	pthread_setname_np(pthread_self(), "worker-3");
	do {
		fprintf(stderr, "error: connection refused by %s, try %d\n",
			"192.0.2.7", ++tries);
		usleep(20000);
	} while (forever);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int live = getenv("EXAMPLES_LIVE") != NULL;
	int number;
	FILE *log;
	pthread_t thread;

	if (strcmp(mode, "trace") == 0) {
		answer(1, 2000000);
		return 0;
	}
	if (strcmp(mode, "fails") == 0) {
		fprintf(stderr, "error: disk full\n");
		return 1;
	}
	if (live)
		alarm(300);
	else
		answer(1, 101);
	log = fopen("var/log/app/app.log", "a");
	if (log)
		fprintf(log, "begun by %s\n", argv[0]);
	syslog(LOG_DAEMON | LOG_NOTICE, "ready");
	pthread_create(&thread, NULL, work, live ? &thread : NULL);
	for (number = 2; live || number <= 20; number++) {
		if (live)
			usleep(20000);
		else
			answer(number, 100 + number);
		parse_line(number % 1000);
	}
	pthread_join(thread, NULL);
	if (log)
		fclose(log);
	return 0;
}
