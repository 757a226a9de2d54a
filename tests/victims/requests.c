/*
 * Answers requests with work that differs from one to the other: `make demo`
 * records it.  requests COUNT.  Nothing of binlog is in it, and it prints the
 * same in each run.
 */
#include <stdio.h>
#include <stdlib.h>

/* How many steps it takes to come from a number to 1: nobody knows before. */
static int walk(unsigned long number)
{
	int steps = 0;

	for (; number > 1; steps++)
		number = number % 2 ? 3 * number + 1 : number / 2;
	return steps;
}

static void answer(int request)
{
	unsigned long number = 97 + (request * 7919ul) % 10007;
	int took;

	printf("request %d: from %lu\n", request, number);
	took = walk(number);
	printf("request %d done, took %d steps\n", request, took);
	if (took > 200)
		fprintf(stderr, "warning: request %d was slow\n", request);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 200;
	int request;

	for (request = 1; request <= count; request++)
		answer(request);
	return 0;
}
