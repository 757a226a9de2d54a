/*
 * For programs that do one thing to the state of stdio, named by their
 * argument, and note in the file "results" what every call has returned, what
 * it has done to errno and to the error and end-of-file marks of stdout and
 * stderr, and where both stand.  So a recorded run is compared with a native
 * one.  Without an argument they write the names into that file.
 */
#ifndef STDIO_NOTE_H
#define STDIO_NOTE_H

#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

/* Out of the way of the descriptors that are opened and closed. */
#define RESULTS 60

static int silent; /* the state of stdout is nothing to look at */

static void say(const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	syscall(SYS_write, RESULTS, text, strlen(text));
}

static void note(int line, const char *what, long result, int number)
{
	say("%d: %s: %ld", line, what, result);
	if (result <= 0) /* else it says nothing */
		say(", errno %d", number);
	if (!silent)
		say(", stdout %d %d, stderr %d %d, at %ld %ld", ferror(stdout),
			feof(stdout), ferror(stderr), feof(stderr),
			ftell(stdout), ftell(stderr));
	say("\n");
}

#define R(...)                                                                 \
	do {                                                                   \
		errno = 0;                                                     \
		long result_ = (long)(__VA_ARGS__);                            \
		note(__LINE__, #__VA_ARGS__, result_, errno);                  \
	} while (0)
#define V(...) R(((__VA_ARGS__), 0))

struct scenario {
	const char *name;
	void (*run)(void);
};

#define SCENARIO(name) {#name, name}

static int run_scenario(const struct scenario *scenario, const char *name)
{
	int fd = open("results", O_WRONLY | O_CREAT | O_APPEND, 0644);

	dup2(fd, RESULTS);
	close(fd);
	for (; scenario->name; scenario++)
		if (!name)
			say("%s\n", scenario->name);
		else if (strcmp(name, scenario->name) == 0)
			scenario->run();
	return 0;
}

#endif
