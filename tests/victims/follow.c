/* follow WHO THREADS CHILDREN LINES [RATE [KIB]]: threads say "WHO.N number"
 * each in order, so many lines a second all together if RATE is given and not
 * 0; children do the same in turn.  With KIB they wait while more than that has
 * not been packed of the only capture in BINLOG_DIR. */
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/layout.h"

static long lines, rate, most;
static int threads;
static char who[64];

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void keep_rate(double begun, long said)
{
	double ahead = (double)said * threads / (double)rate - (now() - begun);

	if (ahead > 0)
		usleep((useconds_t)(ahead * 1e6));
}

/* The first page of our capture. */
static char *capture(void)
{
	char pattern[4096];
	glob_t found;
	int fd;

	snprintf(pattern, sizeof(pattern), "%s/*.binlog", getenv("BINLOG_DIR"));
	if (glob(pattern, 0, NULL, &found) != 0)
		abort();
	fd = open(found.gl_pathv[0], O_RDONLY);
	return mmap(NULL, BINLOG_PAGE, PROT_READ, MAP_SHARED, fd, 0);
}

static long not_packed(void)
{
	static char *page;
	struct binlog_header *header;
	struct binlog_packed *packed;

	if (!page)
		page = capture();
	header = (struct binlog_header *)page;
	packed = (struct binlog_packed *)(page + BINLOG_PACKED_OFFSET);
	return (long)(header->published - packed->bytes) / 1024;
}

static void *say(void *thread)
{
	double begun = now();
	long step = rate > 20000 ? rate / 1000 / threads + 1
		    : most	 ? 10000
				 : 10;

	for (long i = 0; i < lines; i++) {
		printf("%s.%ld %ld\n", who, (long)thread, i);
		if (rate && i % step == 0)
			keep_rate(begun, i);
		while (most && i % step == 0 && not_packed() > most)
			usleep(10000);
	}
	return NULL;
}

static void run(void)
{
	pthread_t ids[64];

	for (long i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, say, (void *)i);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
}

int main(int argc, char **argv)
{
	int children = atoi(argv[3]);
	double begun = now();

	threads = atoi(argv[2]);
	lines = atol(argv[4]);
	rate = argc > 5 ? atol(argv[5]) : 0;
	most = argc > 6 ? atol(argv[6]) : 0;
	for (int i = 0; i < children; i++)
		if (fork() == 0) {
			snprintf(who, sizeof(who), "%sc%d", argv[1], i);
			run();
			exit(0);
		}
	snprintf(who, sizeof(who), "%s", argv[1]);
	run();
	while (wait(NULL) > 0)
		;
	dprintf(9, "%.3f\n", now() - begun);
	return 0;
}
