/*
 * interrupt [jump]: prints numbered lines while a timer interrupts it every 100
 * microseconds; the handler prints, too.  Natively this hangs, sooner or
 * later.  Descriptor 9 gets how many lines of both kinds were said.
 * With "jump" the lines are written by write(2), out of which a handler may
 * jump, and does; a line that was interrupted may be said again.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static volatile int jumps, ready;
static volatile long said;
static sigjmp_buf home;

static void handler(int number)
{
	(void)number;
	if (jumps) {
		if (ready) {
			ready = 0;
			handled++;
			siglongjmp(home, 1);
		}
		return;
	}
	switch (handled % 4) {
	case 0:
		printf("handler %d with %s\n", (int)handled, "a text");
		break;
	case 1:
		fprintf(stderr, "handler %d %6.2f\n", (int)handled, 1.5);
		break;
	case 2:
		dprintf(1, "handler %d %p\n", (int)handled, (void *)&home);
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

static void write_line(long i)
{
	char line[] = "main 00000000\n";

	for (char *digit = line + 12; i > 0; i /= 10)
		*digit-- = (char)('0' + i % 10);
	write(1, line, sizeof(line) - 1);
}

int main(int argc, char **argv)
{
	const struct itimerval often = {{0, 100}, {0, 100}};
	time_t end = time(NULL) + 3;

	jumps = argc > 1 && strcmp(argv[1], "jump") == 0;
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	sigsetjmp(home, 1);
	while (said < 2000000 && handled < 3000 && time(NULL) < end) {
		ready = 1;
		if (jumps)
			write_line(said);
		else
			say(said);
		ready = 0;
		said++;
		for (volatile int i = 0; i < 200; i++)
			;
	}
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	dprintf(9, "%ld %d\n", said, (int)handled);
	return 0;
}
