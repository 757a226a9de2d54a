#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fnmatch.h>

#include "rules/path_glob.h"

static bool matches(const char *glob, const char *path)
{
	return path_glob_matches(glob, strlen(glob), path);
}

static void an_absolute_glob_matches_the_whole_path(void **state)
{
	(void)state;
	assert_true(matches("/var/log/a.log", "/var/log/a.log"));
	assert_false(matches("/var/log/a.log", "/var/log/a.log.1"));
	assert_false(matches("/log/a.log", "/var/log/a.log"));
	assert_true(matches("/var/log/*.log", "/var/log/a.log"));
	assert_true(matches("/*/*/*", "/var/log/a.log"));
	assert_false(matches("/var/*.log", "/var/log/a.log"));
	assert_false(matches("", "/"));
}

static void one_without_a_slash_matches_the_last_component(void **state)
{
	(void)state;
	assert_true(matches("*.log", "/var/log/a.log"));
	assert_true(matches("a.log", "/a.log"));
	assert_true(matches("*", "/var/log/a.log"));
	assert_false(matches("log", "/var/log/a.log"));
	assert_false(matches("*.log", "/var/a.log/b"));
	assert_false(matches("a.log", "/var/xa.log"));
}

static void a_relative_one_matches_the_last_components(void **state)
{
	(void)state;
	assert_true(matches("log/*.log", "/var/log/a.log"));
	assert_true(matches("var/log/a.log", "/var/log/a.log"));
	assert_true(matches("log/a", "/log/log/a"));
	assert_false(matches("og/a.log", "/var/log/a.log"));
	assert_false(matches("log/*", "/var/log/sub/a.log"));
	assert_true(matches("*/*", "/var/log"));
	assert_false(matches("*/*", "/log"));
}

static void two_stars_match_slashes_and_nothing(void **state)
{
	(void)state;
	assert_true(matches("/var/**/a.log", "/var/log/sub/a.log"));
	assert_true(matches("/var/**/a.log", "/var/a.log"));
	assert_false(matches("/var/**/a.log", "/var/xa.log"));
	assert_true(matches("/var/**", "/var/log/a.log"));
	assert_true(matches("/var/l**g", "/var/log/a.log"));
	assert_true(matches("/**/log/**/*.log", "/var/log/x/y.log"));
	assert_false(matches("/**/log/**/*.log", "/var/lag/x/y.log"));
	assert_true(matches("**/x/*b/c", "/x/b/x/ab/c"));
	assert_true(matches("**", "/var"));
	assert_true(matches("/var/**log", "/var/a/b.log"));
	assert_false(matches("/var/**log", "/var/a/b.txt"));
	assert_true(matches("/va**/log", "/var/a/log"));
}

static void sets_and_backslashes_match_characters(void **state)
{
	(void)state;
	assert_true(matches("/[abc]", "/b"));
	assert_false(matches("/[!abc]", "/b"));
	assert_true(matches("/[^x-z]", "/b"));
	assert_true(matches("/[]]", "/]"));
	assert_true(matches("/[a-]", "/-"));
	assert_true(matches("/[\\]x]", "/]"));
	assert_false(matches("/a[!b]c", "/a/c"));
	assert_false(matches("/a?c", "/a/c"));
	assert_true(matches("/[ab", "/[ab"));
	assert_true(matches("/a\\*b", "/a*b"));
	assert_false(matches("/a\\*b", "/axb"));
	assert_true(matches("/a\\", "/a\\"));
}

static void many_stars_take_no_long_time(void **state)
{
	char glob[2048] = "/";
	char path[2048] = "/";

	(void)state;
	for (size_t i = 1; i + 3 < sizeof(glob); i += 2)
		memcpy(glob + i, "*a", 3);
	memset(path + 1, 'a', sizeof(path) - 2);
	assert_true(matches(glob, path));
	path[sizeof(path) - 2] = 'b';
	assert_false(matches(glob, path));
}

/* What fnmatch() takes in its own way: see the test below. */
static bool is_peculiar(const char *glob)
{
	const char *set = strchr(glob, '[');

	return strstr(glob, "**") || strstr(glob, "\\/") ||
	       glob[strlen(glob) - 1] == '\\' ||
	       (set && (!strchr(set + 1, ']') || strchr(set, '/')));
}

/* Where a glob has no "**" and every set an end, and none holds a '/'. */
static void random_globs_match_as_those_of_libc(void **state)
{
	static const char glob_bytes[] = "ab/*?[a]b!-\\/*";
	static const char path_bytes[] = "aabb/-[]";

	(void)state;
	srand(1);
	for (int i = 0; i < 2000000; i++) {
		char glob[12] = "/", path[12] = "/";
		size_t glob_length = 1 + (size_t)rand() % 9;
		size_t path_length = 1 + (size_t)rand() % 8;
		int wanted;

		for (size_t k = 1; k < glob_length; k++)
			glob[k] = glob_bytes[(size_t)rand() %
					     (sizeof(glob_bytes) - 1)];
		for (size_t k = 1; k < path_length; k++)
			path[k] = path_bytes[(size_t)rand() %
					     (sizeof(path_bytes) - 1)];
		if (is_peculiar(glob))
			continue;
		wanted = fnmatch(glob, path, FNM_PATHNAME);
		if (matches(glob, path) != (wanted == 0))
			fail_msg("glob \"%s\" path \"%s\": fnmatch says %d",
				glob, path, wanted);
	}
}

static void the_plain_directory_of_a_glob_is_found(void **state)
{
	(void)state;
	assert_int_equal(path_glob_directory("/var/log/*.log", 14), 9);
	assert_int_equal(path_glob_directory("a/b?/c", 6), 2);
	assert_int_equal(path_glob_directory("a\\/b", 4), 0);
	assert_int_equal(path_glob_directory("*.log", 5), 0);
	assert_int_equal(path_glob_directory("/a/b", 4), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_absolute_glob_matches_the_whole_path),
		cmocka_unit_test(
			one_without_a_slash_matches_the_last_component),
		cmocka_unit_test(a_relative_one_matches_the_last_components),
		cmocka_unit_test(two_stars_match_slashes_and_nothing),
		cmocka_unit_test(sets_and_backslashes_match_characters),
		cmocka_unit_test(many_stars_take_no_long_time),
		cmocka_unit_test(random_globs_match_as_those_of_libc),
		cmocka_unit_test(the_plain_directory_of_a_glob_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
