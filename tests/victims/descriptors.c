/*
 * What a program sees of its descriptors: which are open, which numbers new
 * ones get, what closing says; before and after it has printed much.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int limit = 1100;
static const char *self;

static void many(const char *when)
{
	for (int i = 0; i < 20000; i++)
		printf("%s: line %d of many\n", when, i);
	fflush(stdout);
}

/* All that are open, the one that reads the list among them. */
static void list(const char *when)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *one;

	printf("%s, open:", when);
	while (all && (one = readdir(all)))
		if (*one->d_name != '.')
			printf(" %s", one->d_name);
	printf("\n");
	if (all)
		closedir(all);
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
	int closed = 0;

	for (int fd = 3; fd < limit; fd++)
		closed += syscall(SYS_close, fd) == 0;
	printf("closed %d, range %ld\n", closed,
		syscall(SYS_close_range, 3, ~0u, 0));
}

/* Every number becomes a file; nothing may be written to it. */
static void by_dup2(int raw)
{
	int file = open("file", O_CREAT | O_RDWR, 0600), all = 0;

	write(file, "the file\n", 9);
	for (int fd = 3; fd < limit; fd++)
		all += (raw ? syscall(SYS_dup2, file, fd) : dup2(file, fd)) ==
		       fd;
	printf("all but %d\n", limit - 3 - all);
}

/* Until there are no more. */
static void fill(void)
{
	int count = 0, last = -1, fd;

	while ((fd = open("/dev/null", O_RDONLY)) >= 0) {
		last = fd;
		count++;
	}
	printf("%d opened, last %d, then errno %d\n", count, last, errno);
	fflush(stdout);
}

/* What is read from a socket in a low number is what was written to it. */
static int outer(int n)
{
	char text[32];

	printf("capture %d\n", n);
	if (n % 3 == 0)
		fprintf(stderr, "on stderr %d\n", n);
	return snprintf(text, sizeof(text), "%d", n);
}

static void talk(void)
{
	char text[16];
	int pair[2], wrong = 0;

	outer(-1);
	closefrom(3);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	for (int i = 0; i < 1000; i++) {
		write(pair[0], "HELLO\n", 6);
		outer(i);
		memset(text, 0, sizeof(text));
		wrong += read(pair[1], text, sizeof(text)) != 6 ||
			 memcmp(text, "HELLO\n", 6) != 0;
		outer(i);
	}
	printf("pair %d %d, wrong %d\n", pair[0], pair[1], wrong);
	list("after talking");
}

/* Descriptors that are inherited over exec, and those that are not. */
static void execute(const char *next)
{
	int open_one = open("/dev/null", O_RDONLY);

	dup2(open_one, 9);
	fcntl(open_one, F_SETFD, FD_CLOEXEC);
	printf("before %s\n", next);
	fflush(stdout);
	execl(self, self, next, NULL);
}

/* Under a limit of this process's own making. */
static void limited(int files)
{
	struct rlimit few = {files, files};

	setrlimit(RLIMIT_NOFILE, &few);
	many("limited");
	printf("open: %d\n", open("/dev/null", O_RDONLY));
	printf("dup: %d\n", dup(0));
	fflush(stdout);
	if (fork() == 0) {
		many("child");
		exit(0);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	struct rlimit files = {limit, limit};

	self = argv[0];
	setrlimit(RLIMIT_NOFILE, &files);
	list("start");
	numbers();
	many("before");
	list("before");
	if (strcmp(way, "close") == 0)
		by_close();
	if (strcmp(way, "syscall") == 0)
		by_syscall();
	if (strcmp(way, "closefrom") == 0)
		closefrom(3);
	if (strcmp(way, "closefrom-far") == 0)
		closefrom(900);
	if (strcmp(way, "close_range") == 0)
		printf("%d\n", close_range(3, ~0u, 0));
	if (strcmp(way, "unshare") == 0)
		printf("%d\n", close_range(3, 1099, CLOSE_RANGE_UNSHARE));
	if (strcmp(way, "cloexec") == 0)
		printf("%d\n", close_range(3, ~0u, CLOSE_RANGE_CLOEXEC));
	if (strcmp(way, "dup2") == 0 || strcmp(way, "dup2-syscall") == 0)
		by_dup2(strcmp(way, "dup2") != 0);
	if (strcmp(way, "fill") == 0)
		fill();
	if (strcmp(way, "talk") == 0)
		talk();
	if (strcmp(way, "limit-0") == 0)
		limited(0);
	if (strcmp(way, "limit-3") == 0)
		limited(3);
	many("after");
	list("after");
	if (strncmp(way, "dup2", 4) != 0)
		numbers();
	if (strcmp(way, "exec") == 0)
		execute("executed");
	return 0;
}
