/*
 * jumps N: prints numbered lines, at one depth of the stack and another, while
 * two timers interrupt it.  One handler prints a line; the other jumps out of
 * whatever is going on, back to main, N times.  A line that was jumped out of
 * is said once more.  Natively this is undefined.  Descriptor 9 gets how many
 * lines of both kinds were said, and by how many KiB the memory in use has
 * grown since a tenth of the jumps.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile long handled, jumped, said;
static volatile sig_atomic_t ready;
static sigjmp_buf home;

static void prints(int number)
{
	(void)number;
	if (!ready)
		return;
	printf("handler %ld %s\n", handled, "text");
	handled++;
}

static void jumps(int number)
{
	(void)number;
	if (!ready)
		return;
	ready = 0;
	jumped++;
	siglongjmp(home, 1);
}

static __attribute__((noinline)) void say(long i, int depth)
{
	volatile char frame[48];

	frame[0] = (char)depth;
	if (depth > 0)
		say(i, depth - 1);
	else if (i % 4 == 0)
		printf("main %ld\n", i);
	else if (i % 4 == 1)
		dprintf(1, "main %ld %d\n", i, 7);
	else if (i % 4 == 2)
		fprintf(stdout, "main %ld %s\n", i, "text");
	else
		printf("main %ld %.2f\n", i, 0.5);
	frame[1] = frame[0];
}

static void start(int number, void (*handler)(int), long nanoseconds)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
	const struct itimerspec often = {{0, nanoseconds}, {0, nanoseconds}};
	timer_t timer;

	signal(number, handler);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0 ||
		timer_settime(timer, 0, &often, NULL) < 0)
		_exit(2);
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
	const long wanted = argc > 1 ? atol(argv[1]) : 1000;
	volatile long before = 0;

	start(SIGUSR1, prints, 29000);
	start(SIGUSR2, jumps, 20000);
	sigsetjmp(home, 1);
	while (jumped < wanted) {
		if (before == 0 && jumped > wanted / 10)
			before = resident();
		ready = 1;
		say(said, (int)((said / 100 + jumped) % 3 * 8));
		ready = 0;
		said++;
	}
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	dprintf(9, "%ld %ld %ld\n", said, handled, resident() - before);
	return 0;
}
