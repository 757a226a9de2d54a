/*
 * forks COUNT [PAUSE]: three threads print while the main thread makes children
 * in every way that there is; each child says who it is.  Last come children
 * that share our memory, and print while we do.  Descriptor 9 gets how many
 * lines each thread has said.  PAUSE is how long they wait between two lines.
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
static _Atomic int done;
static int pause_loops = 3000;

static void *print(void *number)
{
	long i = 0;

	for (; !done; i++) {
		printf("thread %ld line %ld of %s\n", (long)number, i, "many");
		for (volatile int j = 0; j < pause_loops; j++)
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

#define SHARED_LINES 500
static volatile int sharer_talks;

static void talk(const char *who, int i)
{
	for (int line = 0; line < SHARED_LINES; line++)
		printf("%s %d line %d\n", who, i, line);
}

/* Not even the variables of threads are its own. */
static int shared(void *number)
{
	sharer_talks = 1;
	talk("sharer", (int)(intptr_t)number);
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

/* Nobody waits for a daemon, but its end of the pipe is closed at last. */
static void make_daemon(int i)
{
	pid_t child;
	int ends[2];
	char end;

	if (pipe(ends) != 0)
		return;
	child = fork();
	if (child == 0) {
		close(ends[0]);
		if (daemon(1, 1) == 0)
			introduce("daemon", i);
		_exit(0);
	}
	close(ends[1]);
	await("daemon", i, child);
	if (read(ends[0], &end, 1) != 0)
		dprintf(9, "daemon %d speaks\n", i);
	close(ends[0]);
}

static void make_sharer(int i)
{
	static char stack[65536] __attribute__((aligned(16)));
	pid_t child;

	sharer_talks = 0;
	child = clone(shared, stack + sizeof(stack), CLONE_VM | SIGCHLD,
		(void *)(intptr_t)i);
	while (child > 0 && !sharer_talks)
		;
	talk("main", i);
	await("sharer", i, child);
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
		introduce("vfork-before", i);
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
	make_daemon(i);
}

int main(int argc, char **argv)
{
	pthread_t id[3];
	int count = argc > 1 ? atoi(argv[1]) : 1;

	if (argc > 3) {
		introduce(argv[2], atoi(argv[3]));
		return 0;
	}
	if (argc > 2)
		pause_loops = atoi(argv[2]);
	for (long i = 0; i < 3; i++)
		pthread_create(&id[i], NULL, print, (void *)i);
	for (int i = 0; i < count; i++)
		make_children(i);
	done = 1;
	for (int i = 0; i < 10; i++)
		make_sharer(i);
	for (int i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
	return 0;
}
