/*
 * order END: prints at every stage of a program's life, and ends in one of
 * several ways.  The library that it needs (order_library.c) prints before the
 * constructors of preloaded libraries have run, and after their destructors.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/victims/kernel.h"

void order_library(void);

/* Before the loader has set thread state up. */
static int chosen(void)
{
	return 1;
}
static int (*resolve(void))(void)
{
	printf("resolver of an IFUNC, %d\n", 1);
	fprintf(stderr, "resolver on stderr\n");
	return chosen;
}
int choice(void) __attribute__((ifunc("resolve")));

/* Before all constructors, even libc's own: its streams work already. */
static void before_all(void)
{
	printf("preinit %d\n", 1);
	fprintf(stderr, "preinit on stderr\n");
}
__attribute__((section(".preinit_array"), used)) static void (*preinit)(
	void) = before_all;

__attribute__((constructor)) static void construct(void)
{
	printf("constructor of the program\n");
}

__attribute__((destructor)) static void destroy(void)
{
	printf("destructor of the program\n");
}

static void at_exit(void)
{
	printf("atexit, %s\n", "last words");
}

static void end_of_thread(void *text)
{
	printf("destructor of a thread's key, %s\n", (char *)text);
}

static void *thread(void *text)
{
	pthread_key_t key;

	pthread_key_create(&key, end_of_thread);
	pthread_setspecific(key, text);
	printf("in a thread\n");
	return NULL;
}

static void quickly(void)
{
	printf("at_quick_exit\n");
	fflush(stdout);
}

static char stack[65536];

static int cloned(void *unused)
{
	printf("in a child of clone\n");
	fflush(stdout);
	return 12;
}

static void *end_of_main(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	printf("after the end of main\n");
	exit(6);
}

int main(int argc, char **argv)
{
	static pthread_t self;
	pthread_t other;
	const char *how = argc > 1 ? argv[1] : "return";

	atexit(at_exit);
	printf("main, %s\n", how);
	printf("chosen: %d\n", choice());
	order_library();
	pthread_create(&other, NULL, thread, "last words");
	pthread_join(other, NULL);
	fflush(stdout);
	if (strcmp(how, "exit") == 0)
		exit(3);
	if (strcmp(how, "_exit") == 0)
		_exit(4);
	if (strcmp(how, "_Exit") == 0)
		_Exit(8);
	if (strcmp(how, "exit_group") == 0)
		syscall(SYS_exit_group, 9);
	if (strcmp(how, "instruction") == 0)
		kernel(SYS_exit_group, 10, 0, 0);
	if (strcmp(how, "thread_exit") == 0) /* of the only one */
		syscall(SYS_exit, 11);
	if (strcmp(how, "clone") == 0)
		waitpid(clone(cloned, stack + sizeof(stack), SIGCHLD, NULL),
			NULL, 0);
	if (strcmp(how, "quick_exit") == 0) {
		at_quick_exit(quickly);
		quick_exit(5);
	}
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(how, "fault") == 0)
		*(volatile int *)16 = 1;
	if (strcmp(how, "exec") == 0) {
		execlp("/no/where", "echo", NULL);
		execvp("/no/where", argv);
		execvp("echo", (char *[]){"echo", "another program", NULL});
	}
	if (strcmp(how, "execlp") == 0)
		execlp("echo", "echo", "another program", (char *)NULL);
	if (strcmp(how, "pthread_exit") == 0) {
		self = pthread_self();
		pthread_create(&other, NULL, end_of_main, &self);
		pthread_exit(NULL);
	}
	return 2;
}
