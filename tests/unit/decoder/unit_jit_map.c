#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decoder/names/jit_map.h"

static char path[64];

/* The list of this process. */
static struct jit_map *map_of(const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	return jit_map_read((uint32_t)getpid());
}

static void is_named(const struct jit_map *map, uint64_t address,
	const char *name, uint64_t offset)
{
	uint64_t got = 0;
	const char *found = jit_map_find(map, address, &got);

	if (!name) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found, name);
	assert_int_equal(got, offset);
}

static void code_is_named_from_its_first_to_its_last_byte(void **state)
{
	struct jit_map *map = map_of("2000 10 second one\n1000 20 first\n");

	(void)state;
	assert_non_null(map);
	is_named(map, 0xfff, NULL, 0);
	is_named(map, 0x1000, "first", 0);
	is_named(map, 0x101f, "first", 0x1f);
	is_named(map, 0x1020, NULL, 0);
	is_named(map, 0x200f, "second one", 0xf);
	is_named(map, 0x2010, NULL, 0);
	jit_map_free(map);
}

static void of_several_the_last_in_the_file_is_meant(void **state)
{
	struct jit_map *map = map_of("1000 1000 old\n1100 10 inner\n"
				     "1000 20 new\n1200 10 other\n"
				     "1100 10 again\n");

	(void)state;
	assert_non_null(map);
	is_named(map, 0x1010, "new", 0x10);
	is_named(map, 0x1030, "old", 0x30);
	is_named(map, 0x1105, "again", 5);
	is_named(map, 0x1110, "old", 0x110);
	is_named(map, 0x1ffe, "old", 0xffe);
	jit_map_free(map);
}

static void lines_that_are_none_are_left_out(void **state)
{
	struct jit_map *map = map_of("\n \nx\n1000\n1000 \n1000 20\n1000 20 \n"
				     "1000 0 empty\n"
				     "ffffffffffffffff 2 wraps\n"
				     "3000 10x joined\n"
				     "0x4000 0x10 with prefix\n"
				     "5000 10 without newline");

	(void)state;
	assert_non_null(map);
	is_named(map, 0x1000, NULL, 0);
	is_named(map, 0xffffffffffffffff, NULL, 0);
	is_named(map, 0, NULL, 0);
	is_named(map, 0x3000, NULL, 0);
	is_named(map, 0x4001, "with prefix", 1);
	is_named(map, 0x5001, "without newline", 1);
	jit_map_free(map);
}

static void an_empty_list_names_nothing(void **state)
{
	struct jit_map *map = map_of("");

	(void)state;
	assert_non_null(map);
	is_named(map, 0x1000, NULL, 0);
	jit_map_free(map);
	unlink(path);
	map = jit_map_read((uint32_t)getpid());
	assert_non_null(map);
	is_named(map, 0x1000, NULL, 0);
	jit_map_free(map);
	jit_map_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_named_from_its_first_to_its_last_byte),
		cmocka_unit_test(of_several_the_last_in_the_file_is_meant),
		cmocka_unit_test(lines_that_are_none_are_left_out),
		cmocka_unit_test(an_empty_list_names_nothing),
	};
	int failed;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
