/*
 * hostile: a program with functions of its own that have libc's names and do
 * something else; it exports them, so that libraries find them first.
 */
#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdio.h>
#include <string.h>

/* By labels, since the headers know these names otherwise. */
#define MINE(name)                                                             \
	void mine_##name(void) __asm__(#name);                                 \
	void mine_##name(void)                                                 \
	{                                                                      \
		__builtin_trap();                                              \
	}
MINE(getenv)
MINE(setenv)
MINE(getauxval)
MINE(getpid)
MINE(gettid)
MINE(gnu_dev_makedev)
MINE(strerrordesc_np)
MINE(strerror)
MINE(vsnprintf)
MINE(snprintf)
MINE(__vsnprintf_chk)
MINE(strnlen)
MINE(strchr)
MINE(memchr)
MINE(mmap)
MINE(munmap)
MINE(open)
MINE(openat)
MINE(fstat)
MINE(fcntl)
MINE(ioctl)
MINE(isatty)
MINE(time)
MINE(clock_gettime)
MINE(localtime_r)
MINE(nl_langinfo)
MINE(dl_iterate_phdr)
MINE(regcomp)
MINE(log_message)

int main(void)
{
	int n = 0;

	printf("%d %s %5.2f %.3s|%10d %lx%n\n", 1, "text", 2.5, "abcdef", 7,
		255ul, &n);
	printf("%2$s %1$d %m\n", n, "numbered");
	printf("%200d|%-100s|%a %Lf\n", 1, "x", 0.5, 1.25L);
	errno = ENOENT;
	perror("perror");
	errno = ENOENT;
	warn("warn %d", 1);
	error(0, EACCES, "error %s", "text");
	fwrite("block\n", 1, 6, stdout);
	return 0;
}
