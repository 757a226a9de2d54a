/*
 * loader_lock WAY LIBRARY: prints while the loader is busy.
 *
 * library   one thread holds a lock of the program's and prints, as another
 *           for the first time in its life; a third is in the constructor of
 *           a library, then in its destructor, and wants that lock
 * callback  prints from a callback of dl_iterate_phdr, where it waits for a
 *           thread that prints for the first time in its life
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t inside;
static const char *library;
static int round_now;

/* Called by the library while it is loaded or unloaded. */
void loader_is_busy(const char *where)
{
	pthread_barrier_wait(&inside);
	pthread_mutex_lock(&lock);
	printf("%s %d\n", where, round_now);
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&inside);
}

static void *load(void *unused)
{
	void *handle = dlopen(library, RTLD_NOW);

	if (handle)
		dlclose(handle);
	return unused;
}

static void *say_first(void *unused)
{
	printf("first words %d\n", round_now);
	fprintf(stderr, "on stderr %d\n", round_now);
	return unused;
}

static void start_and_join(void *(*function)(void *))
{
	pthread_t thread;

	pthread_create(&thread, NULL, function, NULL);
	pthread_join(thread, NULL);
}

/* With the lock while the library is inside: as new a call as there can be. */
static void say_with_lock(int round)
{
	static char format[32];

	pthread_mutex_lock(&lock);
	pthread_barrier_wait(&inside);
	snprintf(format, sizeof(format), "locked %d: %%s %%d\n", round);
	printf(format, "text", round);
	start_and_join(say_first);
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&inside);
}

static int callback(struct dl_phdr_info *info, size_t size, void *unused)
{
	printf("callback %d\n", round_now);
	start_and_join(say_first);
	return 1;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	library = argv[2];
	pthread_barrier_init(&inside, NULL, 2);
	alarm(10);
	for (round_now = 0; round_now < ROUNDS; round_now++) {
		if (strcmp(argv[1], "callback") == 0) {
			dl_iterate_phdr(callback, NULL);
			continue;
		}
		pthread_create(&thread, NULL, load, NULL);
		say_with_lock(round_now);  /* while it is loaded */
		say_with_lock(-round_now); /* and unloaded */
		pthread_join(thread, NULL);
	}
	return argc - argc;
}
