/*
 * hostile: a program with functions of its own that have libc's names, listed
 * in hostile_names.h; it exports them, so that libraries find them first, and
 * dies in each of them.
 */
#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* By labels, since the headers know these names otherwise. */
#define MINE(name)                                                             \
	void mine_##name(void) __asm__(#name);                                 \
	void mine_##name(void)                                                 \
	{                                                                      \
		__builtin_trap();                                              \
	}
#include "hostile_names.h"
MINE(log_message)

/* Its own name, which libc's messages begin with. */
char *__progname = "my own name";
char *program_invocation_name = "my own path";

int main(void)
{
	int n = 0;

	printf("%d %s %5.2f %.3s|%10d %lx%n\n", 1, "text", 2.5, "abcdef", 7,
		255ul, &n);
	printf("%2$s %1$d %m\n", n, "numbered");
	printf("%200d|%-100s|%a %Lf\n", 1, "x", 0.5, 1.25L);
	access("/absent/file", 0); /* sets errno, which is a function, too */
	perror("perror");
	access("/absent/file", 0);
	warn("warn %d", 1);
	printf("%s %m %'d %ls %c\n", "errno:", 12345, L"wide", 'c');
	for (int i = 0; i < 2000; i++)
		fprintf(i % 2 ? stdout : stderr, "%d %s\n", i, "again");
	fflush(stdout);
	write(1, "written\n", 8);
	error(0, EACCES, "error %s", "text");
	fwrite("block\n", 1, 6, stdout);
	return 0;
}
