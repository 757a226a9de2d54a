#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/id_map.h"

#define ENTRIES 10000u

/* Ids as a hostile file would choose them: far apart, and in step. */
static uint32_t id_of(uint32_t i)
{
	return i % 2 ? i << 16 : UINT32_MAX - i * 65536u;
}

static void every_id_that_was_set_is_found(void **state)
{
	static char values[ENTRIES];
	struct id_map map = {0};
	uint32_t i;

	(void)state;
	for (i = 0; i < ENTRIES; i++)
		assert_true(id_map_set(&map, i * 3, &values[i]));
	for (i = 0; i < ENTRIES; i++) {
		assert_ptr_equal(id_map_find(&map, i * 3), &values[i]);
		assert_null(id_map_find(&map, i * 3 + 1));
	}
	assert_int_equal(map.count, ENTRIES);
	id_map_free(&map);
}

static void a_large_id_costs_no_more_than_a_small_one(void **state)
{
	struct id_map map = {0};
	char value;
	uint32_t i;

	(void)state;
	for (i = 0; i < 1000; i++)
		assert_true(id_map_set(&map, id_of(i), &value));
	assert_true(map.mask < 4096);
	assert_ptr_equal(id_map_find(&map, id_of(999)), &value);
	id_map_free(&map);
}

static void a_later_value_replaces_an_earlier_one(void **state)
{
	struct id_map map = {0};
	char first, second;

	(void)state;
	assert_null(id_map_find(&map, 7));
	assert_true(id_map_set(&map, 7, &first));
	assert_true(id_map_set(&map, 7, &second));
	assert_ptr_equal(id_map_find(&map, 7), &second);
	assert_int_equal(map.count, 1);
	id_map_free(&map);
	assert_null(id_map_find(&map, 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_id_that_was_set_is_found),
		cmocka_unit_test(a_large_id_costs_no_more_than_a_small_one),
		cmocka_unit_test(a_later_value_replaces_an_earlier_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
