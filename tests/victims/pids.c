/*
 * pids WAY: two children, one after the other, that have the same pid: of WAY
 * namespace each is the first process of its own one, of WAY again the kernel
 * is asked to give the same number twice.  The first is cut off with something
 * held back, the second one ends well.  Descriptor 9 gets the pids.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIES 100

static void live(int number)
{
	dprintf(9, "%d\n", (int)getpid());
	printf("child %d lives\n", number);
	fflush(stdout);
	fprintf(stderr, "unfinished %d, ", number);
	printf("held back by %d\n", number);
	if (number == 1)
		_exit(0);
	fprintf(stderr, "finished %d\n", number);
	exit(0);
}

static int cloned(void *number)
{
	live((int)(intptr_t)number);
	return 0;
}

static void make_in_namespace(int number)
{
	static char stack[65536] __attribute__((aligned(16)));
	pid_t child = clone(cloned, stack + sizeof(stack),
		CLONE_NEWPID | SIGCHLD, (void *)(intptr_t)number);

	if (child < 0)
		exit(2);
	waitpid(child, NULL, 0);
}

/* A child with this pid, or with any if it is 0. */
static pid_t make_with(pid_t wanted, int number)
{
	pid_t child;

	for (int i = 0; i < TRIES; i++) {
		int ends[2];
		char go = 'n';

		if (wanted) {
			int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);

			if (fd < 0 || dprintf(fd, "%d", wanted - 1) < 0)
				exit(2);
			close(fd);
		}
		if (pipe(ends) != 0)
			exit(1);
		child = fork();
		if (child == 0) {
			if (read(ends[0], &go, 1) == 1 && go == 'y')
				live(number);
			_exit(0);
		}
		if (!wanted || child == wanted)
			go = 'y';
		if (write(ends[1], &go, 1) != 1)
			exit(1);
		close(ends[0]);
		close(ends[1]);
		waitpid(child, NULL, 0);
		if (go == 'y')
			return child;
	}
	exit(2);
}

int main(int argc, char **argv)
{
	printf("parent begins\n");
	fflush(stdout);
	if (argc > 1 && strcmp(argv[1], "again") == 0) {
		make_with(make_with(0, 1), 2);
	} else {
		make_in_namespace(1);
		make_in_namespace(2);
	}
	printf("parent ends\n");
	return 0;
}
