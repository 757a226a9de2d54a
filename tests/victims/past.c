/*
 * past WAY END: says something that the library cannot see, and ends.  WAY:
 * deepbind LIBRARY or namespace LIBRARY (past.so, whose say() prints five
 * bytes), instruction, or nothing; END: return, leave, execute, fault, abort,
 * free (libc says why it aborts).  It says nothing else, but with "say" as
 * last argument.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/victims/kernel.h"

static void say_past(const char *way, const char *library)
{
	void *handle = NULL;

	if (strcmp(way, "instruction") == 0)
		kernel(SYS_write, 1, (long)"past\n", 5);
	if (strcmp(way, "deepbind") == 0)
		handle = dlopen(library, RTLD_NOW | RTLD_DEEPBIND);
	if (strcmp(way, "namespace") == 0)
		handle = dlmopen(LM_ID_NEWLM, library, RTLD_NOW);
	if (handle)
		((void (*)(void))dlsym(handle, "say"))();
}

int main(int argc, char **argv)
{
	const char *end = argv[3];

	if (argc > 4) {
		printf("%s\n", argv[4]);
		fflush(stdout);
	}
	say_past(argv[1], argv[2]);
	if (strcmp(end, "leave") == 0)
		_exit(0);
	if (strcmp(end, "execute") == 0)
		execl("/bin/sh", "sh", "-c", "exit 0", NULL);
	if (strcmp(end, "fault") == 0)
		*(volatile int *)16 = 1;
	if (strcmp(end, "abort") == 0)
		abort();
	if (strcmp(end, "free") == 0)
		free((char *)(malloc(99)) + 16);
	return 0;
}
