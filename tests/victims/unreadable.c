/*
 * unreadable [writer's way]: bytes of which a page cannot be read, given to the
 * kernel from every place around the boundaries.  What each call has returned
 * is in the file "results"; standard output has what was written.
 * The ways: own (handlers for the signals), blocked (these signals are
 * blocked), thread (from a thread with a small stack).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096
#define PAGES 4

enum kind { UNMAPPED, FORBIDDEN, TRUNCATED, KINDS };
static const char *const kinds[] = {"unmapped", "forbidden", "truncated"};

static FILE *results;

/* PAGES pages of text, of which the one at `bad` cannot be read; of a truncated
 * file all from there on. */
static char *make(enum kind kind, int bad)
{
	int fd = -1;
	char *p;

	if (kind == TRUNCATED) {
		fd = open("source", O_RDWR | O_CREAT | O_TRUNC, 0600);
		if (fd < 0 || ftruncate(fd, PAGES * PAGE) != 0)
			exit(1);
	}
	p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		kind == TRUNCATED ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS,
		fd, 0);
	for (int i = 0; i < PAGES * PAGE; i++)
		p[i] = (char)(i % 61 == 60 ? '\n' : 'A' + i % 61);
	if (kind == UNMAPPED)
		munmap(p + bad * PAGE, PAGE);
	else if (kind == FORBIDDEN)
		mprotect(p + bad * PAGE, PAGE, PROT_NONE);
	else if (ftruncate(fd, bad * PAGE) != 0)
		exit(1);
	close(fd);
	return p;
}

static ssize_t by_write(char *p, size_t size)
{
	return write(1, p, size);
}

/* In three pieces, one of which is empty; the last is where it can be read. */
static ssize_t by_writev(char *p, size_t size)
{
	struct iovec v[4] = {{p, size / 3}, {NULL, 0},
		{p + size / 3, size - size / 3}, {"end\n", 4}};

	return writev(1, v, 4);
}

static ssize_t by_pwrite(char *p, size_t size)
{
	return pwrite(1, p, size, lseek(1, 0, SEEK_END));
}

static ssize_t by_pwritev(char *p, size_t size)
{
	struct iovec v[2] = {{p, size / 2}, {p + size / 2, size - size / 2}};

	return pwritev(1, v, 2, lseek(1, 0, SEEK_END));
}

static ssize_t by_fwrite(char *p, size_t size)
{
	size_t n = fwrite(p, 1, size, stdout);
	int kept = errno;

	if (ferror(stdout))
		fputs("error ", results);
	clearerr(stdout);
	errno = kept;
	return (ssize_t)n;
}

static const struct {
	const char *name;
	ssize_t (*write)(char *, size_t);
} ways[] = {
	{"write", by_write},
	{"writev", by_writev},
	{"pwrite", by_pwrite},
	{"pwritev", by_pwritev},
	{"fwrite", by_fwrite},
};

static void try(
	unsigned way, enum kind kind, int bad, char *p, int at, size_t size)
{
	ssize_t n;

	errno = 0;
	n = ways[way].write(p + at, size);
	fprintf(results, "%s %s %d: %zu at %d: %zd %d\n", ways[way].name,
		kinds[kind], bad, size, at, n, n < 0 ? errno : 0);
	lseek(1, 0, SEEK_END);
}

static void try_all(unsigned way, enum kind kind, int bad)
{
	static const int near[] = {-20, -8, -7, -1, 0, 1, 9};
	static const size_t sizes[] = {
		1, 3, 8, 20, 300, PAGE, PAGE + 1, 2 * PAGE + 100, 20000};
	char *p = make(kind, bad);

	for (int page = 0; page < PAGES; page++)
		for (unsigned i = 0; i < sizeof(near) / sizeof(*near); i++)
			for (unsigned j = 0; j < sizeof(sizes) / sizeof(*sizes);
				j++) {
				int at = page * PAGE + near[i];
				size_t size = sizes[j];

				if (at < 0)
					continue;
				if (size > (size_t)(PAGES * PAGE - at))
					size = (size_t)(PAGES * PAGE - at);
				try(way, kind, bad, p, at, size);
			}
	munmap(p, PAGES * PAGE);
}

/* Addresses that no process has, sizes that nobody has: the kernel refuses all
 * of it, whatever could be read. */
static void try_wild(void)
{
	static char text[] = "text\n";
	struct iovec v[2] = {{text, 5}, {(void *)(UINTPTR_MAX - 100), 5}};
	void *const wild[] = {NULL, (void *)8, (void *)(UINTPTR_MAX - 3),
		(void *)(UINTPTR_MAX / 2 - 3), (void *)(UINTPTR_MAX / 2 + 1)};

	for (unsigned i = 0; i < sizeof(wild) / sizeof(*wild); i++) {
		ssize_t n[4];

		v[1].iov_base = wild[i];
		n[0] = write(1, wild[i], 5);
		n[1] = writev(1, v, 2);
		n[2] = pwrite(1, wild[i], 5, lseek(1, 0, SEEK_END));
		n[3] = writev(1, wild[i], 2);
		fprintf(results, "wild %u: %zd %zd %zd %zd\n", i, n[0], n[1],
			n[2], n[3]);
		lseek(1, 0, SEEK_END);
	}
}

static void *run(void *unused)
{
	for (unsigned way = 0; way < sizeof(ways) / sizeof(*ways); way++)
		for (enum kind kind = 0; kind < KINDS; kind++)
			for (int bad = 0; bad < PAGES; bad++)
				try_all(way, kind, bad);
	try_wild();
	return unused;
}

static void met(int number)
{
	static const char text[] = "a signal\n";

	(void)number;
	(void)!write(2, text, sizeof(text) - 1);
	_exit(9);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	results = fopen("results", "w");
	setvbuf(stdout, NULL, _IONBF, 0);
	if (strcmp(way, "own") == 0) {
		signal(SIGSEGV, met);
		signal(SIGBUS, met);
	}
	if (strcmp(way, "blocked") == 0) {
		sigset_t all;

		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
	}
	if (strcmp(way, "thread") == 0) {
		pthread_attr_t small;
		pthread_t thread;

		pthread_attr_init(&small);
		pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
		if (pthread_create(&thread, &small, run, NULL) != 0)
			return 1;
		pthread_join(thread, NULL);
	} else {
		run(NULL);
	}
	unlink("source");
	printf("the end\n");
	return fclose(results);
}
