/*
 * soak MESSAGES STEPS REPORT: says so many messages of every kind in so many
 * steps; in each step some are said by threads and children that live shortly,
 * one after the other.  After each step a line of REPORT has what the process
 * has then: resident and private KiB, descriptors, mappings.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHORT_LIVES 20
#define EACH_SAYS 50

static long said;

static void say(long i)
{
	switch (i % 8) {
	case 0:
		printf("message %ld of %s\n", i, "the soak");
		break;
	case 1:
		puts("a constant one");
		break;
	case 2:
		printf("%ld: %.3f%% of %-10s|\n", i, (double)i / 7, "x");
		break;
	case 3:
		fprintf(stderr, "%#lx to stderr\n", i);
		break;
	case 4:
		fputs("in ", stdout);
		putc('t', stdout);
		fwrite("wo pieces\n", 1, 10, stdout);
		break;
	case 5:
		printf("%c%5d %s\n", 'a' + (int)(i % 26), (int)(i % 10000),
			i % 3 ? "some" : "a longer text than the others");
		break;
	case 6:
		dprintf(2, "%ld by dprintf\n", i);
		break;
	default:
		printf("%s\n", strerror((int)(i % 40)));
	}
}

static void say_some(int n)
{
	for (int i = 0; i < n; i++)
		say(said++);
}

static void *live_shortly(void *unused)
{
	say_some(EACH_SAYS);
	return unused;
}

static void short_lives(void)
{
	for (int i = 0; i < SHORT_LIVES; i++) {
		pthread_t thread;
		pid_t child;

		pthread_create(&thread, NULL, live_shortly, NULL);
		pthread_join(thread, NULL);
		fflush(stdout);
		child = fork();
		if (child == 0) {
			say_some(EACH_SAYS);
			exit(0);
		}
		waitpid(child, NULL, 0);
		said += EACH_SAYS;
	}
}

static int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

/* Without a FILE, whose buffer would be memory of the program's own. */
static long read_file(const char *path, char *text, long size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long n, sum = 0;

	while (sum < size - 1 && (n = read(fd, text + sum, size - 1 - sum)) > 0)
		sum += n;
	text[sum] = 0;
	close(fd);
	return sum;
}

static long kilobytes(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? atol(at + strlen(name)) : -1;
}

static void report(int to)
{
	static char text[1 << 20];
	char line[200];
	long rss, own, maps = 0;
	int n;

	read_file("/proc/self/status", text, sizeof(text));
	rss = kilobytes(text, "VmRSS:");
	own = kilobytes(text, "RssAnon:");
	read_file("/proc/self/maps", text, sizeof(text));
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		maps++;
	n = snprintf(line, sizeof(line), "%ld %ld %d %ld\n", rss, own,
		count_entries("/proc/self/fd"), maps);
	if (write(to, line, (size_t)n) != n)
		exit(2);
}

int main(int argc, char **argv)
{
	long messages = argc > 3 ? atol(argv[1]) : 0;
	long steps = argc > 3 ? atol(argv[2]) : 1;
	int to = open(argv[argc - 1], O_WRONLY | O_CREAT | O_APPEND, 0600);

	if (argc < 4 || to < 0)
		return 2;
	for (long step = 1; step <= steps; step++) {
		short_lives();
		while (said < messages / steps * step)
			say(said++);
		report(to);
	}
	return 0;
}
