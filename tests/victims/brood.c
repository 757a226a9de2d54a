/*
 * brood COUNT: so many children, one after the other, that each say two lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < count; i++) {
		pid_t child = fork();

		if (child == 0) {
			printf("child %d of %d\n", i, count);
			fprintf(stderr, "child %d says %s\n", i, "hello");
			fflush(stdout);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}
