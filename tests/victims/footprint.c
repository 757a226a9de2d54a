/*
 * footprint: prints, in several threads and a handler, and tells on descriptor
 * 9 what a program can see of its process: one line for each thing.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { THREADS = 20 };

extern char **environ;
static pthread_barrier_t together;
static FILE *report;
static int first_errno;
static struct mallinfo2 first_heap;

static __attribute__((constructor)) void look_first(void)
{
	first_errno = errno;
	first_heap = mallinfo2();
}

static void *say(void *number)
{
	printf("thread %ld\n", (long)number);
	pthread_barrier_wait(&together);
	pthread_barrier_wait(&together);
	return NULL;
}

static void handler(int number)
{
	printf("handler of %d\n", number);
}

static int count_lines(const char *path)
{
	FILE *file = fopen(path, "r");
	int c, lines = 0;

	while (file && (c = getc(file)) != EOF)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

static int count_entries(const char *path)
{
	DIR *directory = opendir(path);
	int n = 0;

	while (directory && readdir(directory))
		n++;
	if (directory)
		closedir(directory);
	return n - 2;
}

static void report_descriptors(void)
{
	int all = 0, low = open("/dev/null", O_RDONLY);

	fprintf(report, "lowest descriptor: %d\n", low);
	close(low);
	fprintf(report, "descriptors:");
	for (int fd = 0; fd < 1000; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			fprintf(report, " %d", fd);
	fputc('\n', report);
	for (int fd = 1000; fd < 70000; fd++)
		all += fcntl(fd, F_GETFD) >= 0;
	fprintf(report, "high descriptors: %d\n", all);
	fprintf(report, "open descriptors: %d\n",
		count_entries("/proc/self/fd"));
}

static void report_signals(void)
{
	struct sigaction action;
	sigset_t mask;
	stack_t stack;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (int i = 1; i < NSIG; i++) {
		if (sigaction(i, NULL, &action) != 0)
			continue;
		fprintf(report, "signal %d: %s flags %x %s\n", i,
			action.sa_handler == SIG_DFL   ? "default"
			: action.sa_handler == SIG_IGN ? "ignored"
						       : "handled",
			(unsigned)action.sa_flags,
			sigismember(&mask, i) ? "blocked" : "free");
	}
	sigaltstack(NULL, &stack);
	fprintf(report, "alternate stack: %d %zu\n", stack.ss_flags,
		stack.ss_size);
}

/* As the kernel has them, below what sigaction() says. */
static void report_status(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];

	while (fgets(line, sizeof(line), status))
		if (strncmp(line, "Sig", 3) == 0 ||
			strncmp(line, "ShdPnd", 6) == 0 ||
			strncmp(line, "Seccomp", 7) == 0 ||
			strncmp(line, "NoNewPrivs", 10) == 0 ||
			strncmp(line, "Name", 4) == 0 ||
			strncmp(line, "CoreDumping", 11) == 0 ||
			strncmp(line, "Cpus_allowed", 12) == 0)
			fputs(line, report);
	fclose(status);
}

static void report_limits(void)
{
	struct rlimit limit;
	struct itimerval timer;
	mode_t mask = umask(0);
	char directory[PATH_MAX];

	umask(mask);
	for (int i = 0; i < RLIMIT_NLIMITS; i++)
		if (getrlimit(i, &limit) == 0)
			fprintf(report, "limit %d: %ld %ld\n", i,
				(long)limit.rlim_cur, (long)limit.rlim_max);
	for (int i = ITIMER_REAL; i <= ITIMER_PROF; i++) {
		getitimer(i, &timer);
		fprintf(report, "timer %d: %ld %ld\n", i,
			(long)timer.it_value.tv_sec,
			(long)timer.it_value.tv_usec);
	}
	fprintf(report, "umask: %o\n", (unsigned)mask);
	fprintf(report, "directory: %s\n", getcwd(directory, PATH_MAX));
	fprintf(report, "dumpable: %d\n", prctl(PR_GET_DUMPABLE));
	fprintf(report, "death signal: %d\n",
		prctl(PR_GET_PDEATHSIG, &(int){0}));
	fprintf(report, "nice: %d, scheduler %d\n",
		getpriority(PRIO_PROCESS, 0), sched_getscheduler(0));
	fprintf(report, "rounding: %d, exceptions: %d\n", fegetround(),
		fegetexcept());
	fprintf(report, "locale: %s\n", setlocale(LC_ALL, NULL));
}

int main(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&together, NULL, THREADS + 1);
	report = fdopen(9, "w");
	setvbuf(report, NULL, _IOFBF, 1 << 20);
	fprintf(report, "errno before main: %d\n", first_errno);
	fprintf(report, "heap before main: %zu in use\n", first_heap.uordblks);
	for (int i = 0; environ[i]; i++)
		fprintf(report, "environment: %s\n", environ[i]);
	report_descriptors();
	report_signals();
	report_status();
	report_limits();
	for (long i = 0; i < 5000; i++)
		printf("%ld %s\n", i, "a line with some text in it");
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, say, (void *)i);
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	pthread_barrier_wait(&together);
	/* While all of them are there. */
	fprintf(report, "threads: %d\n", count_entries("/proc/self/task"));
	fprintf(report, "mappings: %d\n", count_lines("/proc/self/maps"));
	report_descriptors();
	pthread_barrier_wait(&together);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	report_status();
	fclose(report);
	return 0;
}
