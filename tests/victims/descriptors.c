/*
 * descriptors WAY: does with all descriptors what daemons do, and tells what
 * came of it; prints before and after, more than fits into one block.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int limit;

static void many(const char *when)
{
	for (int i = 0; i < 20000; i++)
		printf("%s: line %d of many\n", when, i);
	fflush(stdout);
}

/* The numbers that new descriptors get. */
static void numbers(void)
{
	int fd[4];

	for (int i = 0; i < 4; i++)
		fd[i] = open("/dev/null", O_RDONLY);
	printf("opened %d %d %d %d, dup %d, from 500 %d\n", fd[0], fd[1], fd[2],
		fd[3], dup(0), fcntl(0, F_DUPFD, 500));
	fflush(stdout);
}

static void by_close(void)
{
	int closed = 0, failed = 0;

	for (int fd = 3; fd < limit; fd++) {
		errno = 0;
		if (close(fd) == 0)
			closed++;
		else if (errno == EBADF)
			failed++;
	}
	printf("closed %d, not open %d\n", closed, failed);
}

static void by_syscall(void)
{
	for (int fd = 3; fd < limit; fd++)
		syscall(SYS_close, fd);
	syscall(SYS_close_range, 3, ~0u, 0);
}

/* Every number becomes a file; nothing may be written to it. */
static void by_dup2(void)
{
	int file = open("file", O_CREAT | O_RDWR, 0600), all = 0;

	write(file, "the file\n", 9);
	for (int fd = 3; fd < limit; fd++)
		all += dup2(file, fd) == fd;
	printf("all but %d\n", limit - 3 - all);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	struct rlimit files = {1100, 1100};

	setrlimit(RLIMIT_NOFILE, &files);
	limit = 1100;
	numbers();
	many("before");
	if (strcmp(way, "close") == 0)
		by_close();
	if (strcmp(way, "syscall") == 0)
		by_syscall();
	if (strcmp(way, "closefrom") == 0)
		closefrom(3);
	if (strcmp(way, "close_range") == 0)
		printf("%d\n", close_range(3, ~0u, 0));
	if (strcmp(way, "unshare") == 0)
		printf("%d\n", close_range(3, 1099, CLOSE_RANGE_UNSHARE));
	if (strcmp(way, "cloexec") == 0)
		printf("%d\n", close_range(3, ~0u, CLOSE_RANGE_CLOEXEC));
	if (strcmp(way, "dup2") == 0)
		by_dup2();
	many("after");
	if (strcmp(way, "dup2") != 0)
		numbers();
	return 0;
}
