/*
 * threads many N: N threads at once, or as many as there can be; each has a
 * name and prints it with its number, and once more when all are there.
 * threads short N LIVING: beside LIVING ones that print now and then, N more,
 * at most four at a time, each of which prints its name and ends.
 * Descriptor 9 gets "name number" of all, and at the end how many mappings
 * there were, and by how many KiB private memory has grown since a tenth.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AT_ONCE 4
#define MANY 65536

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long there, go;
static FILE *said;

static void introduce(const char *kind, long number)
{
	char name[16];
	long tid = syscall(SYS_gettid);

	snprintf(name, sizeof(name), "%s-%ld", kind, number);
	prctl(PR_SET_NAME, name);
	pthread_mutex_lock(&mutex);
	fprintf(said, "%s %ld\n", name, tid);
	pthread_mutex_unlock(&mutex);
	printf("I am %s, thread %ld\n", name, tid);
}

static void *waits(void *number)
{
	introduce("long", (long)number);
	pthread_mutex_lock(&mutex);
	there++;
	pthread_cond_broadcast(&changed);
	while (!go)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	printf("goes %ld\n", (long)number);
	return NULL;
}

static void *ends(void *number)
{
	introduce("short", (long)number);
	return NULL;
}

/* Of /proc/self/status and /proc/self/maps. */
static long resident(void)
{
	char line[256];
	long size = 0;
	FILE *file = fopen("/proc/self/status", "r");

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "RssAnon: %ld", &size);
	if (file)
		fclose(file);
	return size;
}

static long mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	long lines = 0;

	for (int c; file && (c = getc(file)) != EOF;)
		lines += c == '\n';
	return lines;
}

static pthread_t ids[MANY];

static long start(long wanted, const pthread_attr_t *attributes)
{
	long n = 0;

	while (n < wanted && n < MANY &&
		pthread_create(&ids[n], attributes, waits, (void *)n) == 0)
		n++;
	pthread_mutex_lock(&mutex);
	while (there < n)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	return n;
}

static void let_go(long n)
{
	pthread_mutex_lock(&mutex);
	go = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	while (n > 0)
		pthread_join(ids[--n], NULL);
}

int main(int argc, char **argv)
{
	const long wanted = argc > 2 ? atol(argv[2]) : 1;
	const long living = argc > 3 ? atol(argv[3]) : 0;
	pthread_attr_t attributes;
	pthread_t id[AT_ONCE];
	long n, before = 0, maps;

	said = fdopen(9, "w");
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	if (strcmp(argv[1], "many") == 0) {
		n = start(wanted, &attributes);
		maps = mappings();
		let_go(n);
		fprintf(said, "all %ld\nmaps %ld\n", n, maps);
		return 0;
	}
	n = start(living, &attributes);
	for (long i = 0; i < wanted; i += AT_ONCE) {
		for (int j = 0; j < AT_ONCE; j++)
			if (pthread_create(&id[j], &attributes, ends,
				    (void *)(i + j)) != 0)
				return 2;
		for (int j = 0; j < AT_ONCE; j++)
			pthread_join(id[j], NULL);
		if (i == wanted / 10 / AT_ONCE * AT_ONCE)
			before = resident();
	}
	maps = mappings();
	let_go(n);
	fprintf(said, "all %ld\nmaps %ld\ngrown %ld\n", n, maps,
		resident() - before);
	return 0;
}
