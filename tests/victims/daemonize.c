/*
 * daemonize WAY: logs before, while and after it becomes a daemon, which lets
 * go of its directory and its umask.  WAY: daemon, double (two forks, each
 * parent leaves by exit and writes what it holds back), late (nothing is said
 * before), execute (the daemon executes another program).  Descriptor 9 stays
 * open until the daemon has ended.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Goes on in a child, when the parent has written what it holds back. */
static void leave_parent(void)
{
	int ends[2];
	pid_t child;
	char end;

	if (pipe(ends) != 0)
		exit(1);
	child = fork();
	if (child != 0)
		exit(child < 0);
	close(ends[1]);
	while (read(ends[0], &end, 1) > 0)
		;
	close(ends[0]);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "daemon";
	int late = strcmp(way, "late") == 0;

	if (strcmp(way, "executed") == 0) {
		printf("executed by a daemon\n");
		return 0;
	}
	umask(0);
	if (!late) {
		printf("before\n");
		fprintf(stderr, "before, on %s\n", "stderr");
		fflush(stdout);
		printf("held back, ");
	}
	if (strcmp(way, "double") == 0) {
		leave_parent();
		setsid();
		printf("between, ");
		leave_parent();
		if (chdir("/") != 0)
			return 1;
	} else if (daemon(0, 1) != 0) {
		return 1;
	}
	printf("after\n");
	fprintf(stderr, "after, on %s\n", "stderr");
	if (strcmp(way, "execute") == 0) {
		fflush(stdout);
		execl("/proc/self/exe", argv[0], "executed", NULL);
	}
	dprintf(9, "daemon in %s\n", getcwd((char[64]){0}, 64));
	return 0;
}
