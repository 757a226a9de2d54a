#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/worker/cachefile.h"

#define ANSWERS 10000
#define LOAD_MS_MAX 10

static char directory[] = "/tmp/unit_cachefile.XXXXXX";

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

static struct symbolizer_options options_with(const char *cache)
{
	return (struct symbolizer_options){.cache = cache};
}

static const struct symbolizer_module asked = {
	.path = "/bin/sh",
	.build_id = (const uint8_t *)"12345678",
	.build_id_bytes = 8,
};

static struct askedmodule *filled_module(const char *opened)
{
	struct askedmodule *module = askedmodule_new(&asked);
	char name[32];
	unsigned i;

	assert_non_null(module);
	openedlist_add(&module->opened, NULL, opened);
	for (i = 0; i < ANSWERS; i++) {
		const struct symbolizer_frame frames[2] = {
			{.function = "inner", .line = i, .inlined = true},
			{.function = name, .file = "file.c", .line = i},
		};
		const struct resolver_answer answer = {
			.frames = frames, .count = 2};

		snprintf(name, sizeof(name), "function%u", i / 8);
		assert_true(answerstore_add(
			&module->answers, (uint64_t)i * 5, &answer));
	}
	return module;
}

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void assert_answered(const struct askedmodule *module)
{
	unsigned i;

	for (i = 0; i < ANSWERS; i++)
		assert_non_null(
			answerstore_find(&module->answers, (uint64_t)i * 5));
}

static void ten_thousand_answers_are_there_in_time(void **state)
{
	const struct symbolizer_options options = options_with(directory);
	struct askedmodule *module = filled_module("/bin/sh");
	double fastest = 1e9;
	int turn;

	(void)state;
	cachefile_save(&options, module);
	askedmodule_free(module);
	for (turn = 0; turn < 5; turn++) {
		double start = cpu_ms();

		module = askedmodule_new(&asked);
		assert_true(cachefile_load(&options, module));
		assert_answered(module);
		if (cpu_ms() - start < fastest)
			fastest = cpu_ms() - start;
		askedmodule_free(module);
	}
#if !defined(__SANITIZE_ADDRESS__)
	assert_true(fastest <= LOAD_MS_MAX);
#endif
}

static bool loads(const struct symbolizer_options *options,
	const struct symbolizer_module *wanted)
{
	struct askedmodule *module = askedmodule_new(wanted);
	bool loaded = cachefile_load(options, module);

	askedmodule_free(module);
	return loaded;
}

/* Whatever the answer may depend on. */
static void another_question_is_not_answered(void **state)
{
	const char *const list[] = {"/somewhere", NULL};
	const char *const parts[] = {"/some", "where", NULL};
	struct symbolizer_options options = options_with(directory);
	struct symbolizer_module other = asked;
	struct askedmodule *module = filled_module("/bin/sh");

	(void)state;
	cachefile_save(&options, module);
	askedmodule_free(module);
	assert_true(loads(&options, &asked));
	other.path = "/bin/other";
	assert_false(loads(&options, &other));
	other.path = NULL;
	assert_false(loads(&options, &other));
	other = asked;
	other.build_id = (const uint8_t *)"12345679";
	assert_false(loads(&options, &other));
	other = asked;
	other.file_bytes = 1;
	assert_false(loads(&options, &other));
	options.mangled = true;
	assert_false(loads(&options, &asked));
	options = options_with(directory);
	options.sysroot = "/";
	assert_false(loads(&options, &asked));
	options = options_with(directory);
	options.debug_directories = list;
	assert_false(loads(&options, &asked));
	module = filled_module("/bin/sh");
	cachefile_save(&options, module);
	askedmodule_free(module);
	assert_true(loads(&options, &asked));
	options.debug_directories = parts;
	assert_false(loads(&options, &asked));
	options = options_with(NULL);
	assert_false(loads(&options, &asked));
}

static void write_file(const char *path, size_t bytes)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	while (bytes-- > 0)
		putc('x', file);
	fclose(file);
}

/* Sets the time of what is there to be old enough to be believed. */
static void what_has_come_or_gone_is_noticed(void **state)
{
	const struct symbolizer_options options = options_with(directory);
	struct askedmodule *module;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/../%s.file", directory,
		strrchr(directory, '/') + 1);
	module = filled_module("/bin/sh");
	openedlist_add(&module->opened, NULL, path);
	cachefile_save(&options, module);
	askedmodule_free(module);
	assert_true(loads(&options, &asked));
	write_file(path, 1);
	assert_false(loads(&options, &asked));
	/* it may change once more in this tick */
	module = filled_module(path);
	assert_true(module->opened.incomplete);
	cachefile_save(&options, module);
	askedmodule_free(module);
	assert_false(loads(&options, &asked));
	unlink(path);
	assert_true(loads(&options, &asked));
}

/* But for the last digit. */
#define NAME "path-0123456789abcde"

static void what_has_not_been_used_longest_goes_first(void **state)
{
	static const char *const foreign[] = {
		".profile", "notes", "0123-4567", "." NAME "9", "x" NAME "9"};
	const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	const struct timespec older[2] = {{.tv_sec = 500}, {.tv_sec = 500}};
	int descriptor = cachedirectory_open(directory, true);
	struct stat status;
	char path[64];
	int i;

	(void)state;
	assert_true(descriptor >= 0);
	for (i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/" NAME "%d", directory, i);
		write_file(path, 100000);
		utimensat(AT_FDCWD, path, i == 3 ? older : old, 0);
	}
	snprintf(path, sizeof(path), "%s/." NAME "9.1", directory);
	write_file(path, 1);
	for (i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, foreign[i]);
		write_file(path, 100000);
		utimensat(AT_FDCWD, path, older, 0);
	}
	snprintf(path, sizeof(path), "%s/." NAME "9.1", directory);
	cachedirectory_trim(descriptor, (uint64_t)1 << 30);
	assert_int_equal(faccessat(descriptor, NAME "3", F_OK, 0), 0);
	assert_int_equal(faccessat(descriptor, "." NAME "9.1", F_OK, 0), 0);
	utimensat(AT_FDCWD, path, old, 0);
	snprintf(path, sizeof(path), "%s/" NAME "4", directory);
	utimensat(AT_FDCWD, path, NULL, 0);
	assert_int_equal(stat(path, &status), 0);
	cachedirectory_trim(descriptor, (uint64_t)status.st_blocks * 512);
	assert_int_equal(faccessat(descriptor, NAME "4", F_OK, 0), 0);
	assert_int_not_equal(faccessat(descriptor, NAME "3", F_OK, 0), 0);
	assert_int_not_equal(faccessat(descriptor, NAME "0", F_OK, 0), 0);
	assert_int_not_equal(faccessat(descriptor, "." NAME "9.1", F_OK, 0), 0);
	for (i = 0; i < 5; i++)
		assert_int_equal(faccessat(descriptor, foreign[i], F_OK, 0), 0);
	close(descriptor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ten_thousand_answers_are_there_in_time),
		cmocka_unit_test(another_question_is_not_answered),
		cmocka_unit_test(what_has_come_or_gone_is_noticed),
		cmocka_unit_test(what_has_not_been_used_longest_goes_first),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
