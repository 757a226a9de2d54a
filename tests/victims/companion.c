/*
 * companion LINES WHO: each of WHO's letters says so many numbered lines, as a
 * thread, or as a child of its own if it is a capital; ends with 3.  How many
 * calls there were is written to descriptor 9.
 */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int lines;

static void *speak(void *who)
{
	for (int i = 0; i < lines; i++)
		printf("%s %d says %d times %x and %s\n", (char *)who, i, i / 7,
			i * 2654435761u, "nothing else");
	return NULL;
}

int main(int argc, char **argv)
{
	const char *letters = argc > 2 ? argv[2] : "a";
	char names[26][2] = {{0}};
	pthread_t threads[26];
	int all = 0, i;

	lines = argc > 1 ? atoi(argv[1]) : 1;
	for (i = 0; letters[i] && i < 26; i++) {
		names[i][0] = letters[i];
		if (!isupper(letters[i]))
			continue;
		if (fork() == 0) {
			speak(names[i]);
			exit(0);
		}
	}
	for (i = 0; letters[i] && i < 26; i++)
		if (!isupper(letters[i]) && letters[1])
			pthread_create(&threads[i], NULL, speak, names[i]);
		else if (!isupper(letters[i]))
			speak(names[i]);
	for (i = 0; letters[i] && i < 26; i++) {
		if (!isupper(letters[i]) && letters[1])
			pthread_join(threads[i], NULL);
		all += lines;
	}
	while (wait(NULL) > 0)
		;
	dprintf(9, "%d\n", all);
	return 3;
}
