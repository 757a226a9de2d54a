/*
 * dump IMAGE DIRECTORY: what has been counted in a shared object, as gcov reads
 * it: DIRECTORY/N.gcda for each object N, with N.gcno beside.  Linked into a
 * program without its main(), it does the same for the program when
 * COVERAGE_DUMP names the directory.
 */
#include <dlfcn.h>
#include <gcov.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/coverage/counters.h"

static FILE *file;
static const char *directory;
static int number;

static void fail(const char *what)
{
	fprintf(stderr, "dump: %s: cannot be written\n", what);
	exit(2);
}

/* `name` is the object's, with .gcda; the notes of the compiler are beside. */
static void begin(const char *name, void *unused)
{
	char notes[4096], path[4096];
	size_t length = strlen(name) - strlen("gcda");

	(void)unused;
	snprintf(notes, sizeof(notes), "%.*sgcno", (int)length, name);
	snprintf(path, sizeof(path), "%s/%d.gcno", directory, ++number);
	unlink(path);
	if (symlink(notes, path) != 0)
		fail(path);
	snprintf(path, sizeof(path), "%s/%d.gcda", directory, number);
	file = fopen(path, "we");
	if (!file)
		fail(path);
}

static void put(const void *bytes, unsigned int size, void *unused)
{
	(void)unused;
	if (fwrite(bytes, 1, size, file) != size)
		fail(directory);
}

static void *allocate(unsigned int size, void *unused)
{
	(void)unused;
	return malloc(size);
}

static void dump(const struct coverage *image)
{
	const struct gcov_info *const *info;

	for (info = image->begin; info < image->end; info++) {
		__gcov_info_to_gcda(*info, begin, put, allocate, NULL);
		fclose(file);
	}
}

#ifdef COVERAGE_OF_ITSELF
__attribute__((constructor)) static void dump_itself(void)
{
	directory = getenv("COVERAGE_DUMP");
	if (!directory)
		return;
	dump(&coverage);
	_exit(0);
}
#else
int main(int argc, char **argv)
{
	void *image = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
	const struct coverage *found = image ? dlsym(image, "coverage") : NULL;

	if (!found) {
		fprintf(stderr, "dump: %s\n", dlerror());
		return 2;
	}
	directory = argv[2];
	dump(found);
	return 0;
}
#endif
