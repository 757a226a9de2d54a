/*
 * disk_full WAY LINES [DIRECTORY]: says LINES lines of 500 bytes, does with the disk of
 * DIRECTORY, or with a limit, what WAY says, says as many again, undoes it if
 * that is possible, says as many again, and ends with 3.  Writes its number of
 * calls to descriptor 9 and past the library.
 *
 *   fill        every byte of the disk is taken by another file
 *   race        the same, and given back, again and again in another thread
 *   limit=N     RLIMIT_FSIZE
 *   nothing
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static long calls;
static char filler[4096];
static volatile int done;

static void say(const char *who, long lines)
{
	static char padding[500];

	memset(padding, '-', sizeof(padding) - 1);
	for (long i = 0; i < lines; i++, calls++)
		printf("%s %ld %s\n", who, i, padding);
	fprintf(stderr, "%serrors %d\n", who, 1);
	calls++;
	fflush(stdout);
}

static void fill(void)
{
	static char bytes[65536];
	int fd = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	size_t size = sizeof(bytes);

	while (size > 0)
		if (syscall(SYS_write, fd, bytes, size) <= 0)
			size /= 2;
	fsync(fd);
	close(fd);
}

static void *race(void *unused)
{
	while (!done) {
		fill();
		unlink(filler);
	}
	return unused;
}

int main(int argc, char **argv)
{
	const char *way = argv[1];
	long lines = atol(argv[2]);
	struct rlimit size;
	char text[32];
	pthread_t racer;
	int races = strcmp(way, "race") == 0;

	snprintf(filler, sizeof(filler), "%s/filler", argc > 3 ? argv[3] : ".");
	say("before", lines);
	if (strcmp(way, "fill") == 0)
		fill();
	if (races)
		pthread_create(&racer, NULL, race, NULL);
	if (strncmp(way, "limit=", 6) == 0) {
		getrlimit(RLIMIT_FSIZE, &size);
		size.rlim_cur = strtoul(way + 6, NULL, 10);
		setrlimit(RLIMIT_FSIZE, &size);
	}
	say("during", lines);
	done = 1;
	if (races)
		pthread_join(racer, NULL);
	unlink(filler);
	if (strncmp(way, "limit=", 6) == 0) {
		size.rlim_cur = size.rlim_max;
		setrlimit(RLIMIT_FSIZE, &size);
	}
	usleep(10000); /* room is looked for again after some milliseconds */
	say("after", lines);
	snprintf(text, sizeof(text), "%ld\n", calls);
	syscall(SYS_write, 9, text, strlen(text));
	return 3;
}
