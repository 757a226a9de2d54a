/* Prints from the handler of a fault; the comments mark the frames' lines. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void handler(int number)
{
	printf("signal %d\n", number); /* handler */
	_exit(0);
}

__attribute__((noinline, noclone)) void before(void)
{
	__asm__ volatile("nop");
}

__attribute__((noinline, noclone)) void faults(volatile int *p)
{
	*p = 1; /* faults */
}

int main(void)
{
	signal(SIGSEGV, handler);
	before();
	faults((volatile int *)8); /* main */
	return 1;
}
