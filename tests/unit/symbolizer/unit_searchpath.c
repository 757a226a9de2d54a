#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "symbolizer/elf/debugfile.h"

static void leads_to(const struct symbolizer_options *options,
	const char *recorded, const char *root, const char *path)
{
	struct searchpath place;

	assert_true(searchpath_find(&place, options, recorded));
	assert_string_equal(place.path, path);
	if (root)
		assert_string_equal(place.root, root);
	else
		assert_null(place.root);
	free(place.path);
}

static void without_options_a_path_stays_as_it_is(void **state)
{
	const struct symbolizer_options options = {0};

	(void)state;
	leads_to(&options, "/usr/bin/a", NULL, "/usr/bin/a");
	leads_to(&options, "a", NULL, "a");
	leads_to(&options, "", NULL, "");
}

static void the_longest_map_wins_wherever_it_stands(void **state)
{
	const char *const maps[] = {
		"/usr=/1", "/usr/lib/x=/3", "/usr/lib=/2", NULL};
	const struct symbolizer_options options = {.path_maps = maps};

	(void)state;
	leads_to(&options, "/usr/bin/a", NULL, "/1/bin/a");
	leads_to(&options, "/usr/lib/a", NULL, "/2/a");
	leads_to(&options, "/usr/lib/x", NULL, "/3");
	leads_to(&options, "/usr", NULL, "/1");
	leads_to(&options, "/opt/a", NULL, "/opt/a");
}

static void maps_replace_whole_names(void **state)
{
	const char *const maps[] = {"/usr/li=/1", "/opt/=/2/", "/=/3", NULL};
	const struct symbolizer_options options = {.path_maps = maps};

	(void)state;
	leads_to(&options, "/usr/lib/a", NULL, "/3/usr/lib/a");
	leads_to(&options, "/opt/a", NULL, "/2//a");
	leads_to(&options, "/optional", NULL, "/3/optional");
	leads_to(&options, "relative", NULL, "relative");
}

static void a_map_may_be_of_relative_paths_and_lead_to_nothing(void **state)
{
	const char *const maps[] = {".=/build", "/gone=", NULL};
	const struct symbolizer_options options = {.path_maps = maps};

	(void)state;
	leads_to(&options, "./a.c", NULL, "/build/a.c");
	leads_to(&options, "../a.c", NULL, "../a.c");
	leads_to(&options, "/gone/a", NULL, "/a");
}

static void absolute_paths_that_no_map_replaces_are_below_the_sysroot(
	void **state)
{
	const char *const maps[] = {"/home=/mnt", NULL};
	const struct symbolizer_options options = {
		.path_maps = maps, .sysroot = "/image"};

	(void)state;
	leads_to(&options, "/usr/bin/a", "/image", "/usr/bin/a");
	leads_to(&options, "/home/a", NULL, "/mnt/a");
	leads_to(&options, "a", NULL, "a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_options_a_path_stays_as_it_is),
		cmocka_unit_test(the_longest_map_wins_wherever_it_stands),
		cmocka_unit_test(maps_replace_whole_names),
		cmocka_unit_test(
			a_map_may_be_of_relative_paths_and_lead_to_nothing),
		cmocka_unit_test(
			absolute_paths_that_no_map_replaces_are_below_the_sysroot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
