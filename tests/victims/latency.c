/*
 * latency HOW: answers a thousand requests in `plain` calls of 0.2 ms each, but
 * for one, number 500, which takes 300 ms; or
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
 * The file `took` has what took more than 200 ms, at least and at most so many
 * nanoseconds by CLOCK_MONOTONIC, as a `thread` sees it that knows but its last
 * request, and by the `number` of requests.  It is mostly the slow one, but
 * others may have had the processor.
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
#define SLOW_NS 300000000
#define QUICK_NS 200000
#define LIMIT_NS 200000000
/* At a time, the slow one is done so many later. */
#define LATER 100

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

struct span {
	long before, begun; /* around the first call, */
	long done, after;   /* and around the second */
};

static FILE *took;

static void note(const char *who, const struct span *span)
{
	if (span->after - span->before > LIMIT_NS)
		fprintf(took, "%s %ld %ld\n", who, span->done - span->begun,
			span->after - span->before);
}

static void answer(int number, const char *who)
{
	struct span span = {.before = now()};

	printf("start %s request %d\n", who, number);
	span.begun = now();
	work(number == SLOW ? SLOW_NS : QUICK_NS);
	span.done = now();
	printf("done %s request %d\n", who, number);
	span.after = now();
	note("thread", &span);
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

/* What is printed of a name ends where another begins. */
static void begin(struct span *span, int number, int named)
{
	static char names[REQUESTS][3];
	char text[8];

	snprintf(text, sizeof(text), "%d", number);
	memcpy(names[number], text, 3);
	memcpy(names[number + 1], "abc", 3);
	span->before = now();
	if (named)
		printf("start %d request %.*s\n", number % 7, 3, names[number]);
	else
		printf("start %ld request %d\n", (long)number % 7, number);
	span->begun = now();
}

/* `last` began last, for all that a thread knows. */
static void end(struct span *span, struct span *last, int number, int named)
{
	char text[8] = "";

	snprintf(text, sizeof(text), "%d", number);
	last->done = span->done = now();
	if (named)
		printf("done %s request %s\n", "a", text);
	else
		printf("done %s request %hd\n", "a", (short)number);
	last->after = span->after = now();
	note("number", span);
	note("thread", last);
}

static void take_turns(int named)
{
	static struct span spans[REQUESTS];

	for (int i = SLOW - LATER; i < SLOW + 2 * LATER; i++) {
		begin(&spans[i], i, named);
		work(SLOW_NS / LATER);
		if (i > SLOW - LATER && i - 1 != SLOW)
			end(&spans[i - 1], &spans[i], i - 1, named);
		if (i == SLOW + LATER)
			end(&spans[SLOW], &spans[i], SLOW, named);
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

/* The child has another thread, but the same numbers. */
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
	struct span span = {.before = now()};

	syslog(LOG_INFO, "start request %d", 1);
	span.begun = now();
	work(SLOW_NS);
	span.done = now();
	syslog(LOG_ERR, "done request %d", 1);
	span.after = now();
	note("thread", &span);
}

int main(int argc, char **argv)
{
	const char *how = argv[1];

	took = fopen("took", "w");
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
