/*
 * switches load THREADS CHILDREN: threads, and those of children, say
 * "WHO NUMBER" over and over, WHO counting from 0, until SIGTERM.
 * switches clock: says what time it is, in nanoseconds, until SIGTERM.
 * switches sleep CHILDREN: it and its children say "PID N" at each SIGUSR1, and
 * N is how often; each writes its number into a line of the file "ready".
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Atomic sig_atomic_t ended;
static int family; /* 0: that which was started */

static void end(int number)
{
	(void)number;
	ended = 1;
}

static void tell_ready(void)
{
	int fd = open("ready", O_CREAT | O_WRONLY | O_APPEND, 0600);

	dprintf(fd, "%d\n", (int)getpid());
	close(fd);
}

/* Some tens of thousands a second. */
static void *say(void *thread)
{
	for (long i = 0; !ended; i++) {
		printf("%d.%ld %ld\n", family, (long)thread, i);
		if (i % 8 == 0)
			usleep(100);
	}
	return NULL;
}

static void load(int threads)
{
	pthread_t ids[64];

	for (long i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, say, (void *)i);
	tell_ready();
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
}

static void tell_time(void)
{
	struct timespec now;

	tell_ready();
	while (!ended) {
		clock_gettime(CLOCK_REALTIME, &now);
		printf("%ld%09ld\n", (long)now.tv_sec, now.tv_nsec);
	}
}

static void sleep_on(void)
{
	sigset_t signals;
	int number;

	tell_ready();
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGTERM);
	for (int i = 1; sigwait(&signals, &number) == 0 && number == SIGUSR1;
		i++) {
		printf("%d %d\n", (int)getpid(), i);
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	int children = atoi(argv[argc - 1]);
	sigset_t signals;

	/* So that processes do not write into each other's lines. */
	if (strcmp(how, "load") == 0)
		setlinebuf(stdout);
	if (strcmp(how, "sleep") == 0) {
		sigemptyset(&signals);
		sigaddset(&signals, SIGUSR1);
		sigaddset(&signals, SIGTERM);
		sigprocmask(SIG_BLOCK, &signals, NULL);
	} else {
		signal(SIGTERM, end);
	}
	while (family < children)
		if (family++ >= 0 && fork() == 0)
			goto run;
	family = 0;
run:
	if (strcmp(how, "load") == 0)
		load(atoi(argv[2]));
	else if (strcmp(how, "clock") == 0)
		tell_time();
	else
		sleep_on();
	if (family == 0) {
		signal(SIGTERM, SIG_IGN);
		kill(0, SIGTERM);
		while (wait(NULL) > 0)
			;
	}
	return 0;
}
