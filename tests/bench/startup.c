/*
 * startup TIMES DIR PROGRAM LIBRARY...: what it costs a program to be started
 * with each library preloaded, beside none, in turn in one run.  PROGRAM's
 * output goes to a file in DIR, which is on the file system that captures go to
 * as well.  Prints a line for each: the fastest and the median start in
 * microseconds, both more than without a library, and its page faults.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WAYS_MAX = 16, TIMES_MAX = 100000 };

static double took[WAYS_MAX][TIMES_MAX];
static long faults[WAYS_MAX];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Its faults are those of the last child, which are least when all is warm. */
static double start(char *program, char **environment, long *minor)
{
	char *arguments[] = {program, NULL};
	double begin = now(), end;
	struct rusage usage;
	int status;
	pid_t child;

	if (posix_spawn(&child, program, NULL, NULL, arguments, environment) ||
		wait4(child, &status, 0, &usage) != child || status != 0) {
		fprintf(stderr, "startup: %s does not run\n", program);
		exit(1);
	}
	end = now();
	*minor = usage.ru_minflt;
	return end - begin;
}

static void run(int times, int ways, char *program, char **library,
	const char *directory)
{
	char preload[4096], captures[4096];
	char *alone[] = {"PATH=/bin", captures, NULL};
	char *with[] = {"PATH=/bin", captures, preload, NULL};

	snprintf(captures, sizeof(captures), "BINLOG_DIR=%s/captures.%ld",
		directory, (long)getpid());
	for (int i = 0; i < times; i++)
		for (int way = 0; way < ways; way++) {
			if (way > 0)
				snprintf(preload, sizeof(preload),
					"LD_PRELOAD=%s", library[way - 1]);
			took[way][i] = start(
				program, way > 0 ? with : alone, &faults[way]);
		}
}

/*
 * ext4 passes over files that were removed in the last minutes before it makes
 * a new one near them: after other measurements, of which the captures are
 * removed, up to half a millisecond at each start.  So the directories in this
 * one, each with another name, shall be far from everything.
 */
static void set_apart(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY), flags;

	if (fd < 0)
		return;
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
		flags |= FS_TOPDIR_FL;
		ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	int times = argc > 3 ? atoi(argv[1]) : 0, ways = argc - 3;
	char output[4096];
	int fd;

	if (times < 1 || times > TIMES_MAX || ways > WAYS_MAX) {
		fputs("usage: startup TIMES DIR PROGRAM LIBRARY...\n", stderr);
		return 2;
	}
	set_apart(argv[2]);
	snprintf(output, sizeof(output), "%s/output", argv[2]);
	fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		return 1;
	FILE *report = fdopen(dup(1), "w");

	dup2(fd, 1);
	close(fd);
	fcntl(fileno(report), F_SETFD, FD_CLOEXEC);
	run(times, ways, argv[3], argv + 4, argv[2]);
	for (int way = 0; way < ways; way++)
		qsort(took[way], (size_t)times, sizeof(double), compare);
	for (int way = 0; way < ways; way++)
		fprintf(report,
			"%7.1f %+7.1f   median %7.1f %+7.1f   %4ld faults  "
			"%s\n",
			took[way][0], took[way][0] - took[0][0],
			took[way][times / 2],
			took[way][times / 2] - took[0][times / 2], faults[way],
			way > 0 ? argv[way + 3] : "none");
	return 0;
}
