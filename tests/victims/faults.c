/*
 * faults KIND: says a line, makes one error of this kind, says another.  For
 * checkers: they have to find it, whoever else is in the process.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shared;

static void *race(void *unused)
{
	for (int i = 0; i < 1000; i++)
		shared++;
	return unused;
}

static void run_race(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, race, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *kind = argv[1];
	char *volatile text = malloc(16);
	volatile int large = 0x7fffffff;

	strcpy(text, "text");
	printf("before %s\n", text);
	fflush(stdout);
	if (strcmp(kind, "string") == 0) {
		memset(text, 'x', 16);
		printf("%s\n", text);
	} else if (strcmp(kind, "freed") == 0) {
		free(text);
		printf("%s\n", text);
	} else if (strcmp(kind, "argument") == 0) {
		free(text);
		text = malloc(16);
		printf("%d\n", ((volatile int *)text)[2] > 5);
	} else if (strcmp(kind, "race") == 0) {
		run_race();
	} else if (strcmp(kind, "leak") == 0) {
		text = NULL;
	} else if (strcmp(kind, "overflow") == 0) {
		large += argc;
	}
	puts("after");
	return 0;
}
