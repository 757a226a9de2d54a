/*
 * interrupt MICROSECONDS LINES: prints that many numbered lines while a timer
 * interrupts it so often; the handler prints, too.  Natively this hangs,
 * sooner or later.  Descriptor 9 gets how many lines of both kinds were said.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static volatile long said;

static void handler(int number)
{
	(void)number;
	switch (handled % 4) {
	case 0:
		printf("handler %d with %s\n", (int)handled, "a text");
		break;
	case 1:
		fprintf(stderr, "handler %d %6.2f\n", (int)handled, 1.5);
		break;
	case 2:
		dprintf(1, "handler %d %p\n", (int)handled, (void *)&said);
		break;
	default:
		printf("handler %d\n", (int)handled);
	}
	handled++;
}

static void say(long i)
{
	switch (i % 4) {
	case 0:
		printf("main %ld with %s and %c\n", i, "some text", 'x');
		break;
	case 1:
		fprintf(stderr, "main %ld %5d|%-20s|\n", i, 7, "padded");
		break;
	case 2:
		printf("main %ld %f\n", i, (double)i / 3);
		break;
	default:
		dprintf(2, "main %ld\n", i);
	}
}

int main(int argc, char **argv)
{
	const int interval = argc > 2 ? atoi(argv[1]) : 100;
	const long lines = argc > 2 ? atol(argv[2]) : 1000;
	const struct itimerval often = {{0, interval}, {0, interval}};

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	while (said < lines) {
		say(said);
		said++;
		for (volatile int i = 0; i < 200; i++)
			;
	}
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	dprintf(9, "%ld %d\n", said, (int)handled);
	return 0;
}
