/*
 * allocator [fails]: a program whose malloc and its relatives print in every
 * call, or always fail.  With LIBRARY defined only these, for LD_PRELOAD.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static _Alignas(16) char room[16 << 20];
static size_t used;
static int fails, prints;
static __thread int inside __attribute__((tls_model("initial-exec")));
static unsigned long calls;

static void say(const char *what, size_t size)
{
	calls++;
	if (!prints || inside)
		return;
	inside = 1;
	printf("%s of %zu bytes, call %lu\n", what, size, calls);
	fprintf(stderr, "%s %s\n", what, "on stderr");
	inside = 0;
}

static void *take(size_t size)
{
	size_t *at;

	size = (size + 15) & ~(size_t)15;
	if (fails || sizeof(room) - used < size + 16) {
		errno = ENOMEM;
		return NULL;
	}
	at = (size_t *)(void *)(room + used);
	used += size + 16;
	*at = size;
	return at + 2;
}

void *malloc(size_t size)
{
	say("malloc", size);
	return take(size);
}

void *calloc(size_t count, size_t size)
{
	say("calloc", count * size);
	return take(count * size);
}

void free(void *old)
{
	say("free", old ? ((size_t *)old)[-2] : 0);
}

void *realloc(void *old, size_t size)
{
	void *fresh;
	size_t before = old ? ((size_t *)old)[-2] : 0;

	say("realloc", size);
	fresh = take(size);
	if (fresh && old)
		memcpy(fresh, old, before < size ? before : size);
	return fresh;
}

#ifdef LIBRARY
static __attribute__((constructor)) void begin(void)
{
	prints = 1;
}
#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void *work(void *unused)
{
	char *text = NULL;

	if (asprintf(&text, "%d in a thread", 7) > 0)
		printf("%s\n", text);
	free(text);
	return unused;
}

int main(int argc, char **argv)
{
	static char buffer[4096];
	time_t now = 86400;
	pthread_t thread;
	char *text = NULL;
	FILE *file;

	fails = argc > 1;
	prints = !fails;
	/* Else stdio takes its buffer when it is first printed to. */
	if (!fails)
		setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	printf("%d %s %5.2f %s\n", 1, "text", 2.5, argv[0] ? "" : "no name");
	puts("puts");
	fprintf(stderr, "%-5d|%c\n", 3, 'c');
	printf("%300d|%s\n", 5, "long");
	text = strdup("a copy");
	printf("%s\n", text ? text : "no copy");
	free(text);
	printf("%d\n", localtime(&now)->tm_year);
	file = fopen("made", "w");
	if (file) {
		fprintf(file, "%d\n", 9);
		fclose(file);
	}
	printf("%s\n", file ? "a file" : "no file");
	if (pthread_create(&thread, NULL, work, NULL) == 0)
		pthread_join(thread, NULL);
	else
		puts("no thread");
	printf("%s\n",
		dlopen("libm.so.6", RTLD_NOW) ? "a library" : "no library");
	for (int i = 0; i < 200; i++) {
		text = malloc(i);
		printf("%d %s\n", i, text ? "taken" : "not taken");
		free(text);
	}
	return 0;
}
#endif
