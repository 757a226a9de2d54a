/*
 * latency HOW: answers a thousand requests in `plain` calls of half a
 * millisecond each, but for one, number 500, which takes 60 ms; or
 *
 *   ended    says of one that began long ago only that it is done again
 *   turns    several at a time, each begun before the one before is done, so
 *            that the slow one is known by its number alone
 *   names    the same, and their numbers are texts, of which no more may be
 *            read than is printed
 *   threads  two threads, of which one is slow once
 *   forked   begins in a process, and is done late in its child
 *   syslog   says so to syslog(3)
 *   waits    is plain once the file `go` is there
 *
 * The file `took` has, of the slow one, how long it took: in nanoseconds, at
 * least and at most, by CLOCK_MONOTONIC.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define REQUESTS 1000
#define SLOW 500
#define SLOW_NS 60000000
#define QUICK_NS 500000

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

/* Where somebody else has the processor it takes longer, so that is seen to. */
static void work(long ns)
{
	long start = now();

	while (now() - start < ns)
		;
}

static void say_took(long least, long most)
{
	FILE *took = fopen("took", "w");

	fprintf(took, "%ld %ld\n", least, most);
	fclose(took);
}

static void answer(int number, const char *who)
{
	long before = now(), begun, done, after;

	printf("start %s request %d\n", who, number);
	begun = now();
	work(number == SLOW ? SLOW_NS : QUICK_NS);
	done = now();
	printf("done %s request %d\n", who, number);
	after = now();
	if (number == SLOW && strcmp(who, "other") != 0)
		say_took(done - begun, after - before);
}

static void plain(void)
{
	for (int i = 0; i < REQUESTS; i++)
		answer(i, "a");
}

static void end_again(void)
{
	answer(0, "a");
	work(SLOW_NS);
	printf("done %s request %d\n", "a", 0);
}

/* What is printed of a name ends where what may not be read begins. */
static void begin(int number, int named)
{
	static char names[REQUESTS][4];

	snprintf(names[number], 4, "%d", number);
	if (named)
		printf("start %d request %.*s\n", number % 7, 3, names[number]);
	else
		printf("start %ld request %d\n", (long)number % 7, number);
}

static void end(int number, int named)
{
	char text[8] = "";

	snprintf(text, sizeof(text), "%d", number);
	if (named)
		printf("done %s request %s\n", "a", text);
	else
		printf("done %s request %hd\n", "a", (short)number);
}

static void take_turns(int named)
{
	long before = 0, begun = 0, done;

	for (int i = 0; i < REQUESTS; i++) {
		if (i == SLOW)
			before = now();
		begin(i, named);
		if (i == SLOW)
			begun = now();
		work(QUICK_NS);
		if (i > 0 && i - 1 != SLOW)
			end(i - 1, named);
		/* The slow one is done 120 requests later. */
		if (i == SLOW + 120) {
			done = now();
			end(SLOW, named);
			say_took(done - begun, now() - before);
		}
	}
}

static void *other(void *unused)
{
	for (int i = 0; i < REQUESTS; i++)
		answer(i == SLOW ? 0 : i, "other");
	return NULL;
}

static void use_threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, other, NULL);
	plain();
	pthread_join(thread, NULL);
}

static void use_fork(void)
{
	printf("start %s request %d\n", "a", 1);
	fflush(stdout);
	work(SLOW_NS);
	if (fork() == 0) {
		printf("done %s request %d\n", "a", 1);
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
}

static void use_syslog(void)
{
	long before = now(), begun, done;

	syslog(LOG_INFO, "start request %d", 1);
	begun = now();
	work(SLOW_NS);
	done = now();
	syslog(LOG_ERR, "done request %d", 1);
	say_took(done - begun, now() - before);
}

int main(int argc, char **argv)
{
	const char *how = argv[1];

	if (strcmp(how, "ended") == 0)
		end_again();
	else if (strcmp(how, "turns") == 0)
		take_turns(0);
	else if (strcmp(how, "names") == 0)
		take_turns(1);
	else if (strcmp(how, "threads") == 0)
		use_threads();
	else if (strcmp(how, "forked") == 0)
		use_fork();
	else if (strcmp(how, "syslog") == 0)
		use_syslog();
	else if (strcmp(how, "waits") == 0)
		for (printf("ready\n"), fflush(stdout);
			access("go", F_OK) != 0;)
			usleep(1000);
	if (strcmp(how, "plain") == 0 || strcmp(how, "waits") == 0)
		plain();
	return 0;
}
