/*
 * fault_load WAY: says numbered lines in many ways, flushes, and ends with 3.
 * Each line begins with who says it and a number that grows; what one call
 * says in many lines has lines of 16 bytes.  How many calls there were is
 * written to descriptor 9.
 *
 *   calls     all kinds of functions, many places
 *   long      texts of many pieces
 *   threads   four at once
 *   forks     children in different ways, some of which end at once
 *   handler   in signal handlers that interrupt others
 *   exhausted the same, first of all, while no descriptor is left
 *   streams   forty files, opened and closed
 *   children  one child, which has it all to itself
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/victims/kernel.h"

static long *calls; /* shared with children */

#define SAY(...) (__atomic_fetch_add(calls, 1, __ATOMIC_RELAXED), __VA_ARGS__)

static void many_calls(void)
{
	char text[64];

	for (int i = 0; i < 60; i++) {
		SAY(printf("printf %d and %s\n", i, "a string"));
		SAY(printf("double %d %.3f %-8s|\n", i, i / 7.0, "left"));
		SAY(fprintf(stderr, "error %d %x\n", i, i));
		snprintf(text, sizeof(text), "fputs %d\n", i);
		SAY(fputs(text, stdout));
		snprintf(text, sizeof(text), "puts %d", i);
		SAY(puts(text));
		snprintf(text, sizeof(text), "fwrite %d\n", i);
		SAY(fwrite(text, 1, strlen(text), stderr));
	}
	fflush(stdout);
	for (int i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "write %d\n", i);
		SAY(write(1, text, strlen(text)));
		SAY(dprintf(2, "dprintf %d\n", i));
	}
}

static void long_texts(void)
{
	static char text[16 * 5000 + 1];

	for (int n = 0; n < 4; n++) {
		for (int i = 0; i < 5000; i++)
			sprintf(text + i * 16, "long%d %09d\n", n, i);
		if (n % 2) {
			text[sizeof(text) - 2] = '\0';
			SAY(puts(text));
		} else {
			SAY(fwrite(text, 1, sizeof(text) - 1, stdout));
		}
		fflush(stdout);
	}
}

static void *speak(void *who)
{
	for (int i = 0; i < 50; i++)
		SAY(printf("thread%ld %d of many\n", (long)who, i));
	return NULL;
}

static void threads(void)
{
	pthread_t thread[4];

	for (long i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, speak, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

static void forks(void)
{
	/* The capture is larger than what is mapped of it at first. */
	for (int i = 0; i < 40; i++) {
		pid_t child;

		SAY(printf("parent %d\n", i));
		fflush(stdout);
		child = i % 3 == 0   ? fork()
			: i % 3 == 1 ? _Fork()
				     : (pid_t)syscall(SYS_fork);
		if (child == 0) {
			for (int n = 0; n < i % 8 * 3; n++)
				SAY(printf("child%d %d says\n", i, n));
			fflush(stdout);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

static void handler(int number)
{
	static int n;
	char text[64];

	(void)number;
	for (int i = 0; i < 3; i++, n++) {
		snprintf(text, sizeof(text), "handler %d here\n", n);
		SAY(write(1, text, strlen(text)));
	}
}

static void handlers(void)
{
	signal(SIGUSR1, handler);
	for (int i = 0; i < 30; i++) {
		raise(SIGUSR1);
		SAY(printf("main %d\n", i));
		if (i % 7 == 0)
			fflush(stdout);
	}
}

static void exhausted(void)
{
	struct rlimit files = {64, 64};

	setrlimit(RLIMIT_NOFILE, &files);
	while (dup(0) >= 0)
		;
	handlers();
}

static void streams(void)
{
	char name[32];

	for (int i = 0; i < 40; i++) {
		FILE *file;

		snprintf(name, sizeof(name), "file%d.log", i % 10);
		file = fopen(name, "a");
		if (!file)
			abort();
		for (int n = 0; n < 4; n++)
			SAY(fprintf(file, "file%d %d of %s\n", i % 10,
				i * 4 + n, name));
		fclose(file);
		SAY(printf("closed %d\n", i));
	}
}

static void one_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		many_calls();
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {{"calls", many_calls}, {"long", long_texts},
		{"threads", threads}, {"forks", forks}, {"handler", handlers},
		{"exhausted", exhausted}, {"streams", streams},
		{"children", one_child}};
	char text[32];

	calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(argv[1], ways[i].name) == 0)
			ways[i].run();
	fflush(stdout);
	snprintf(text, sizeof(text), "%ld\n", *calls);
	kernel(SYS_write, 9, (long)text, (long)strlen(text)); /* not one of them */
	return 3;
}
