/*
 * kill PAGE: four threads print numbered lines until somebody kills us.  The
 * page, shared with whoever checks, counts for each thread the prints that
 * have returned.  A line says who, which one, and has a text that follows from
 * both; see kill_check.c.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kill.h"

static struct kill_page *page;

static void say(unsigned thread, uint64_t number)
{
	char line[KILL_LINE_MAX];
	size_t size = kill_line(line, thread, number);
	char *text = strchr(line + 2, ' ') + 1;

	switch (thread) {
	case 0:
		printf("%u %lu %s", thread, number, text);
		break;
	case 1:
		fprintf(stderr, "%c %llu %.*s%s", '1', (long long)number, 1,
			text, text + 1);
		break;
	case 2:
		fwrite(line, 1, size, stdout);
		break;
	default:
		write(2, line, size);
	}
}

static void *print(void *argument)
{
	unsigned thread = (unsigned)(uintptr_t)argument;

	for (uint64_t number = 0;; number++) {
		say(thread, number);
		__atomic_store_n(
			&page->returned[thread], number + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t id;
	int fd = open(argc > 1 ? argv[1] : "", O_RDWR);

	kill_begin();
	page = mmap(
		NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return 2;
	for (uintptr_t i = 1; i < KILL_THREADS; i++)
		pthread_create(&id, NULL, print, (void *)i);
	print(NULL);
}
