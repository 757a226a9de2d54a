/*
 * two_halves THREADS: says a line, waits for the end of standard input, and
 * says so many lines then that a capture has to grow, in one thread or more.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LINES 6000

static void *say(void *name)
{
	int i;

	for (i = 0; i < LINES; i++)
		printf("%s says its line %d, and %d is its square\n",
			(const char *)name, i, i * i);
	return NULL;
}

int main(int argc, char **argv)
{
	static char names[][2] = {"a", "b"};
	int count = atoi(argv[1]);
	pthread_t threads[2];
	char byte;
	int i;

	printf("the first half\n");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	if (count == 1)
		say(names[0]);
	for (i = 0; count > 1 && i < 2; i++)
		pthread_create(&threads[i], NULL, say, names[i]);
	for (i = 0; count > 1 && i < 2; i++)
		pthread_join(threads[i], NULL);
	return 7;
}
