/*
 * startup TIMES DIR PROGRAM LIBRARY...: what it costs a program to be started
 * with each library preloaded, beside none, in turn in one run.  PROGRAM's
 * output goes to a file in DIR, which is on the file system that captures go to
 * as well.  further:LIBRARY is a later program of a run, shared:LIBRARY one
 * that shares the capture of the first.  Prints a line for each: the fastest
 * and the median start in microseconds, both more than without a library, and
 * its page faults.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* What is preloaded, and with which variables. */
struct way {
	char preload[4096];
	char of_run[2][1024]; /* BINLOG_RUN, BINLOG_PARENT; empty: none */
	bool shares;
};

enum { TOLD = 9 };
static pid_t holders[WAYS_MAX];
static int holding;

/* The first program of a run, which lives as long as it is needed: this one. */
static int hold(void)
{
	dprintf(TOLD, "BINLOG_RUN=%s\nBINLOG_PARENT=%s\n", getenv("BINLOG_RUN"),
		getenv("BINLOG_PARENT"));
	close(TOLD);
	for (;;)
		pause();
}

static void begin_run(struct way *way, char *captures)
{
	char *arguments[] = {"startup", "hold", NULL};
	char *environment[] = {"PATH=/bin", captures, way->preload,
		way->shares ? "BINLOG_CAPTURES=run" : NULL, NULL};
	char parent[16];
	int ends[2];
	FILE *told;

	if (pipe(ends) != 0)
		exit(1);
	holders[holding] = fork();
	if (holders[holding] == 0) {
		dup2(ends[1], TOLD);
		execve("/proc/self/exe", arguments, environment);
		_exit(127);
	}
	holding++;
	close(ends[1]);
	told = fdopen(ends[0], "r");
	for (int i = 0; i < 2; i++)
		if (!fgets(way->of_run[i], sizeof(*way->of_run), told)) {
			fprintf(stderr, "startup: no run begins\n");
			exit(1);
		}
	fclose(told);
	for (int i = 0; i < 2; i++)
		way->of_run[i][strcspn(way->of_run[i], "\n")] = '\0';
	/* As if this process were that one: the second number. */
	snprintf(parent, sizeof(parent), "%08lx", (long)getpid());
	memcpy(strchr(way->of_run[1], '=') + 1 + 8, parent, 8);
}

static void set_way(struct way *way, const char *library, char *captures)
{
	const char *colon = strchr(library, ':');

	way->shares = strncmp(library, "shared:", 7) == 0;
	snprintf(way->preload, sizeof(way->preload), "LD_PRELOAD=%s",
		colon ? colon + 1 : library);
	if (colon)
		begin_run(way, captures);
}

static void run(int times, int ways, char *program, char **library,
	const char *directory)
{
	static struct way all[WAYS_MAX];
	char captures[4096];
	char *alone[] = {"PATH=/bin", captures, NULL};

	snprintf(captures, sizeof(captures), "BINLOG_DIR=%s/captures.%ld",
		directory, (long)getpid());
	for (int way = 1; way < ways; way++)
		set_way(&all[way], library[way - 1], captures);
	for (int i = 0; i < times; i++)
		for (int way = 0; way < ways; way++) {
			struct way *one = &all[way];
			char *with[] = {"PATH=/bin", captures, one->preload,
				*one->of_run[0] ? one->of_run[0] : NULL,
				one->of_run[1],
				one->shares ? "BINLOG_CAPTURES=run" : NULL,
				NULL};

			took[way][i] = start(
				program, way > 0 ? with : alone, &faults[way]);
		}
	for (int i = 0; i < holding; i++)
		kill(holders[i], SIGKILL);
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

	if (argc == 2 && strcmp(argv[1], "hold") == 0)
		return hold();
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
