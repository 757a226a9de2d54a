#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/files/openfile.h"

static char directory[] = "/tmp/unit_openfile.XXXXXX";

static const char *at(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void write_file(const char *name, const char *contents)
{
	FILE *file = fopen(at(name), "we");

	assert_non_null(file);
	fputs(contents, file);
	assert_int_equal(fclose(file), 0);
}

/* DIRECTORY/elf, text; DIRECTORY/root/elf and links that lead there or out. */
static int make_files(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	mkdir(at("root"), 0700);
	mkdir(at("root/below"), 0700);
	write_file("elf", "\177ELF and so on");
	write_file("root/elf", "\177ELF other");
	write_file("text", "root:x:0");
	write_file("short", "\177EL");
	if (symlink("/elf", at("root/below/absolute")) != 0 ||
		symlink("../../elf", at("root/below/up")) != 0 ||
		symlink("../../text", at("root/out")) != 0 ||
		symlink("/proc/self/exe", at("root/magic")) != 0)
		return -1;
	return 0;
}

static int remove_files(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

static enum openfile_result opened(
	const char *root, const char *path, uint64_t bytes)
{
	struct openfile file;
	enum openfile_result result = openfile_open(&file, root, path);

	if (result != OPENFILE_FINE)
		return result;
	assert_int_equal(file.bytes, bytes);
	assert_int_equal(close(file.descriptor), 0);
	return result;
}

static void nothing_is_opened_that_does_not_begin_as_elf(void **state)
{
	(void)state;
	assert_int_equal(opened(NULL, at("elf"), 14), OPENFILE_FINE);
	assert_int_equal(opened(NULL, at("text"), 0), OPENFILE_NOT_ELF);
	assert_int_equal(opened(NULL, at("short"), 0), OPENFILE_NOT_ELF);
	assert_int_equal(opened(NULL, directory, 0), OPENFILE_NOT_REGULAR);
	assert_int_equal(opened(NULL, at("none"), 0), OPENFILE_MISSING);
}

static void links_stay_below_the_root(void **state)
{
	char root[128];

	(void)state;
	snprintf(root, sizeof(root), "%s", at("root"));
	assert_int_equal(opened(root, "/elf", 10), OPENFILE_FINE);
	assert_int_equal(opened(root, "below/absolute", 10), OPENFILE_FINE);
	assert_int_equal(opened(root, "/below/up", 10), OPENFILE_FINE);
	assert_int_equal(opened(root, "/../../../elf", 10), OPENFILE_FINE);
	assert_int_equal(opened(root, "/out", 0), OPENFILE_MISSING);
	assert_int_equal(opened(root, at("elf"), 0), OPENFILE_MISSING);
	assert_int_not_equal(opened(root, "/magic", 0), OPENFILE_FINE);
	assert_int_equal(opened("/nonexistent", "/elf", 0), OPENFILE_MISSING);
}

static void a_real_path_below_a_root_is_without_it(void **state)
{
	char root[128];
	char *real;

	(void)state;
	snprintf(root, sizeof(root), "%s", at("root"));
	real = openfile_real_path(root, "/below/up");
	assert_string_equal(real, "/elf");
	free(real);
	assert_null(openfile_real_path(root, "/out"));
	real = openfile_real_path("/", at("elf"));
	assert_string_equal(real, at("elf"));
	free(real);
	real = openfile_real_path(NULL, at("root/below/../../elf"));
	assert_string_equal(real, at("elf"));
	free(real);
}

static void an_identity_changes_with_the_file(void **state)
{
	struct openfile_identity before;
	struct openfile_identity after;
	const struct openfile_identity none = {0};

	(void)state;
	openfile_identify(&before, NULL, at("elf"));
	openfile_identify(&after, NULL, at("elf"));
	assert_memory_equal(&before, &after, sizeof(before));
	write_file("elf", "\177ELF another");
	openfile_identify(&after, NULL, at("elf"));
	assert_memory_not_equal(&before, &after, sizeof(before));
	unlink(at("elf"));
	openfile_identify(&after, NULL, at("elf"));
	assert_memory_equal(&after, &none, sizeof(none));
}

static void every_result_has_its_reason(void **state)
{
	int result;

	(void)state;
	assert_null(openfile_reason(OPENFILE_FINE));
	for (result = OPENFILE_FINE + 1; result < OPENFILE_RESULTS; result++)
		assert_non_null(openfile_reason((enum openfile_result)result));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_opened_that_does_not_begin_as_elf),
		cmocka_unit_test(links_stay_below_the_root),
		cmocka_unit_test(a_real_path_below_a_root_is_without_it),
		cmocka_unit_test(an_identity_changes_with_the_file),
		cmocka_unit_test(every_result_has_its_reason),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
