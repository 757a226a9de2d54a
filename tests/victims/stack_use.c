/*
 * stack_use WAY: prints in one way from a new thread, whose stack was painted
 * before.  Descriptor 9 gets the bytes of it that are not as they were.
 */
#include <err.h>
#include <error.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

#define SIZE ((size_t)262144)
#define PAINT 0xa5

static unsigned char *stack;
static char long_text[100000];
static const char *way;

static __attribute__((noinline)) int deep(int depth)
{
	volatile int frame = depth;

	if (depth == 0)
		return printf("deep %d\n", depth);
	return deep(depth - 1) + frame;
}

static void handler(int number)
{
	printf("signal %d\n", number);
}

static size_t used(void)
{
	size_t at = 0;

	while (at < SIZE && stack[at] == PAINT)
		at++;
	return SIZE - at;
}

static void print(void)
{
	if (strcmp(way, "printf") == 0)
		printf("%d %s %lx\n", 1, "two", 3ul);
	else if (strcmp(way, "float") == 0)
		printf("%f %g %e\n", 1.5, 1e300, 1e-300);
	else if (strcmp(way, "general") == 0)
		printf("%2$s %1$d %3$m\n", 1, "two");
	else if (strcmp(way, "long") == 0)
		printf("%s\n", long_text);
	else if (strcmp(way, "wide") == 0)
		printf("%ls %lc\n", L"wide", L'c');
	else if (strcmp(way, "deep") == 0)
		deep(40);
	else if (strcmp(way, "stderr") == 0)
		fprintf(stderr, "%d\n", 1);
	else if (strcmp(way, "wprintf") == 0)
		wprintf(L"%d %ls\n", 1, L"two");
	else if (strcmp(way, "dprintf") == 0)
		dprintf(1, "%d\n", 1);
	else if (strcmp(way, "syslog") == 0)
		syslog(LOG_INFO, "%d", 1);
	else if (strcmp(way, "perror") == 0)
		perror("perror");
	else if (strcmp(way, "warn") == 0)
		warn("%d", 1);
	else if (strcmp(way, "error") == 0)
		error(0, 1, "%d", 1);
	else if (strcmp(way, "puts") == 0)
		puts("text");
	else if (strcmp(way, "putchar") == 0)
		putchar('c');
	else if (strcmp(way, "fwrite") == 0)
		fwrite(long_text, 1, sizeof(long_text), stdout);
	else if (strcmp(way, "write") == 0)
		write(1, "text\n", 5);
	else if (strcmp(way, "many") == 0)
		for (int i = 0; i < 100000; i++)
			printf("%d %s\n", i, "and some more text");
	else if (strcmp(way, "signal") == 0)
		raise(SIGUSR1);
}

static void *run(void *unused)
{
	int status;

	if (strcmp(way, "fork") != 0)
		return print(), unused;
	way = "printf";
	if (fork() == 0) {
		print();
		fflush(stdout);
		dprintf(9, "%zu\n", used());
		_exit(0);
	}
	wait(&status);
	_exit(status);
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	pthread_t id;

	way = argc > 1 ? argv[1] : "";
	signal(SIGUSR1, handler);
	memset(long_text, 'x', sizeof(long_text) - 1);
	stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(stack, PAINT, SIZE);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, SIZE);
	if (pthread_create(&id, &attributes, run, NULL) != 0)
		return 2;
	pthread_join(id, NULL);
	dprintf(9, "%zu\n", used());
	return 0;
}
