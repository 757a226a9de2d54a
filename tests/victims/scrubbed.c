/*
 * scrubbed WAY: prints, changes its environment, goes on, and has children
 * that print.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
	const char *way = argv[1];
	char *bare[] = {"PATH=/usr/bin:/bin", NULL};
	char *none[] = {NULL};

	printf("before\n");
	fflush(stdout);
	if (strcmp(way, "unsetenv") == 0)
		unsetenv("LD_PRELOAD");
	if (strcmp(way, "clearenv") == 0)
		clearenv();
	if (strcmp(way, "null") == 0)
		environ = NULL;
	if (strcmp(way, "own") == 0)
		environ = none;
	if (strcmp(way, "setenv") == 0) {
		setenv("LD_PRELOAD", "", 1);
		setenv("BINLOG_DIR", "/nowhere/at/all", 1);
		setenv("BINLOG_RUN", "nonsense", 1);
	}
	for (int i = 0; i < 5000; i++)
		printf("line %d\n", i);
	fprintf(stderr, "on stderr\n");
	fflush(stdout);
	if (fork() == 0) {
		printf("in a child\n");
		exit(0);
	}
	wait(NULL);
	if (fork() == 0) {
		execle("/bin/sh", "sh", "-c", "echo executed; seq 3; env | grep -c LD_PRELOAD",
			NULL, strcmp(way, "execle") == 0 ? bare : environ);
		_exit(9);
	}
	wait(NULL);
	printf("after %d\n", argc);
	return 0;
}
