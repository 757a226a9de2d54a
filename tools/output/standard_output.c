#include "tools/output/standard_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sentence.h"

#ifndef RELEASE
#define RELEASE "of unknown release"
#endif

void standard_output_guard(void)
{
	int fd;

	/* The lowest number that is free is the one that open() takes. */
	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null",
				(fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) |
					O_CLOEXEC);
}

void standard_output_lost(const char *command, const char *why)
{
	sentence_say("%s: standard output: not written: %s: make room or "
		     "choose another place",
		command, why);
}

bool standard_output_finish(const char *command)
{
	if (fflush(stdout) != 0)
		standard_output_lost(command, strerror(errno));
	else if (ferror(stdout))
		standard_output_lost(command, "a part of it is missing");
	else
		return true;
	return false;
}

void standard_output_version(
	const char *command, const char *what, unsigned version)
{
	printf("%s %s: %s of format version %u\n", command, RELEASE, what,
		version);
}
