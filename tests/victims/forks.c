/*
 * forks COUNT: three threads print while the main thread makes children in
 * every way that there is; each child says who it is.  Descriptor 9 gets how
 * many lines each thread has said.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile int done;

static void *print(void *number)
{
	long i = 0;

	for (; !done; i++) {
		printf("thread %ld line %ld of %s\n", (long)number, i, "many");
		for (volatile int j = 0; j < 3000; j++)
			;
	}
	dprintf(9, "thread %ld %ld\n", (long)number, i);
	return NULL;
}

static void introduce(const char *way, int i)
{
	printf("child %s %d says %s\n", way, i, "hello");
	fprintf(stderr, "child %s %d on stderr\n", way, i);
}

static int cloned(void *number)
{
	introduce("clone", (int)(intptr_t)number);
	_exit(0);
}

static void await(const char *way, int i, pid_t child)
{
	int status = -1;

	if (child <= 0 || waitpid(child, &status, 0) != child || status != 0)
		dprintf(9, "%s %d: pid %d status %x\n", way, i, (int)child,
			status);
}

static char *arguments[] = {"forks", "child", "way", "number", NULL};

static void prepare(char *way, int i)
{
	static char number[16];

	snprintf(number, sizeof(number), "%d", i);
	arguments[2] = way;
	arguments[3] = number;
}

static void make_children(int i)
{
	static char stack[65536] __attribute__((aligned(16)));
	pid_t child;

	child = fork();
	if (child == 0) {
		introduce("fork", i);
		_exit(0);
	}
	await("fork", i, child);
	child = _Fork();
	if (child == 0) {
		introduce("_Fork", i);
		_exit(0);
	}
	await("_Fork", i, child);
	child = (pid_t)syscall(SYS_fork);
	if (child == 0) {
		introduce("SYS_fork", i);
		_exit(0);
	}
	await("SYS_fork", i, child);
	child = clone(
		cloned, stack + sizeof(stack), SIGCHLD, (void *)(intptr_t)i);
	await("clone", i, child);
	prepare("vfork-exec", i);
	child = vfork();
	if (child == 0) {
		execv("/proc/self/exe", arguments);
		_exit(1);
	}
	await("vfork-exec", i, child);
	child = vfork();
	if (child == 0) {
		introduce("vfork", i);
		_exit(0);
	}
	await("vfork", i, child);
	prepare("spawn", i);
	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments,
		    environ) != 0)
		child = -1;
	await("spawn", i, child);
	/* A grandchild, and a child that goes on after its parent. */
	child = fork();
	if (child == 0) {
		child = fork();
		introduce(child == 0 ? "grandchild" : "between", i);
		if (child > 0)
			waitpid(child, NULL, 0);
		_exit(0);
	}
	await("grandchild", i, child);
}

int main(int argc, char **argv)
{
	pthread_t id[3];
	int count = argc > 1 ? atoi(argv[1]) : 1;

	if (argc > 3) {
		introduce(argv[2], atoi(argv[3]));
		return 0;
	}
	for (long i = 0; i < 3; i++)
		pthread_create(&id[i], NULL, print, (void *)i);
	for (int i = 0; i < count; i++)
		make_children(i);
	done = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
	return 0;
}
