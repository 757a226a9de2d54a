/*
 * Gives files to a target, without a fuzzer: `replay_NAME FILE|DIRECTORY...`;
 * or numbers, to one that reads its decisions from its input: `replay_NAME
 * --random=FIRST,COUNT`.  Prints the number of inputs, with VERBOSE in the
 * environment each name before.  Aborts when the property fails.
 */
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

static unsigned long inputs;
static uint64_t number; /* the input, if it is one */

/* The target may do without one. */
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	(void)data;
	(void)most;
	return size;
}

static void replay_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "re");
	uint8_t *data = malloc(size + 1);

	if (!file || !data || fread(data, 1, size, file) != size) {
		fprintf(stderr, "replay: %s: cannot read it\n", path);
		exit(2);
	}
	fclose(file);
	/* an input's end is memory's end, for what watches memory */
	data = realloc(data, size ? size : 1);
	if (getenv("VERBOSE"))
		fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	inputs++;
}

static void replay(const char *path)
{
	char below[4096];
	struct dirent *entry;
	struct stat status;
	DIR *directory;

	if (stat(path, &status) != 0) {
		fprintf(stderr, "replay: %s: there is none\n", path);
		exit(2);
	}
	if (!S_ISDIR(status.st_mode)) {
		replay_file(path, (size_t)status.st_size);
		return;
	}
	directory = opendir(path);
	while (directory && (entry = readdir(directory)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
		replay(below);
	}
	if (directory)
		closedir(directory);
}

static void tell_number(int signal)
{
	(void)signal;
	fprintf(stderr, "replay: of the input --random=%" PRIu64 ",1\n",
		number);
}

static void replay_numbers(const char *seed_and_count)
{
	char *comma;

	number = strtoull(seed_and_count, &comma, 0);
	signal(SIGABRT, tell_number);
	for (inputs = 0; *comma == ',' && inputs < strtoull(comma + 1, NULL, 0);
		inputs++, number++)
		LLVMFuzzerTestOneInput(
			(const uint8_t *)&number, sizeof(number));
}

int main(int argc, char **argv)
{
	int i;

	LLVMFuzzerInitialize(&argc, &argv);
	for (i = 1; i < argc; i++) {
		if (strncmp(argv[i], "--random=", 9) == 0)
			replay_numbers(argv[i] + 9);
		else
			replay(argv[i]);
	}
	printf("%lu inputs\n", inputs);
	return 0;
}
