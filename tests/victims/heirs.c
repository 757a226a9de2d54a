/*
 * heirs COUNT: two threads fork at the same time, so many times, while text is
 * held back that was never flushed; each child ends by exit(), which writes its
 * copy of it.  Then the same by clone() and by the bare system call.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int count;

static void *make(void *number)
{
	for (int i = 0; i < count; i++) {
		pid_t child = fork();

		if (child == 0) {
			if (i % 2)
				printf("child %ld %d\n", (long)number, i);
			exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return NULL;
}

static int cloned(void *unused)
{
	(void)unused;
	printf("child of clone\n");
	exit(0);
}

int main(int argc, char **argv)
{
	static char stack[65536] __attribute__((aligned(16)));
	pthread_t other;
	pid_t child;

	count = argc > 1 ? atoi(argv[1]) : 1;
	printf("held back\n");
	pthread_create(&other, NULL, make, (void *)1);
	make((void *)0);
	pthread_join(other, NULL);
	child = clone(cloned, stack + sizeof(stack), SIGCHLD, NULL);
	waitpid(child, NULL, 0);
	child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (child == 0) {
		printf("child of SYS_clone\n");
		exit(0);
	}
	waitpid(child, NULL, 0);
	printf("end\n");
	return 0;
}
