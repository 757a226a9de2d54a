#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/dwarf/spanmap.h"

static void the_innermost_of_nested_functions_is_found(void **state)
{
	const uint32_t outer = 0;
	const uint32_t inner = 1;
	struct spanmap map = {0};

	(void)state;
	spanmap_begin(&map, outer);
	assert_true(spanmap_add(&map, 100, 200));
	spanmap_begin(&map, inner);
	assert_true(spanmap_add(&map, 120, 140));
	assert_true(spanmap_add(&map, 160, 170));
	assert_true(spanmap_finish(&map));
	assert_int_equal(spanmap_at(&map, 99), SPANMAP_NONE);
	assert_int_equal(spanmap_at(&map, 100), outer);
	assert_int_equal(spanmap_at(&map, 119), outer);
	assert_int_equal(spanmap_at(&map, 120), inner);
	assert_int_equal(spanmap_at(&map, 139), inner);
	assert_int_equal(spanmap_at(&map, 140), outer);
	assert_int_equal(spanmap_at(&map, 165), inner);
	assert_int_equal(spanmap_at(&map, 199), outer);
	assert_int_equal(spanmap_at(&map, 200), SPANMAP_NONE);
	spanmap_free(&map);
}

/* Compared with the definition, over all addresses of many random pieces. */
static void spans_agree_with_a_search_of_all_pieces(void **state)
{
	uint32_t random = 12345;
	unsigned round;

	(void)state;
	for (round = 0; round < 50; round++) {
		struct spanmap map = {0};
		struct {
			uint64_t low, high;
		} pieces[40];
		uint64_t address;
		uint32_t i;

		for (i = 0; i < 40; i++) {
			random = random * 1664525 + 1013904223;
			pieces[i].low = random >> 24;
			pieces[i].high = pieces[i].low + (random >> 8) % 60 + 1;
			spanmap_begin(&map, i);
			assert_true(spanmap_add(
				&map, pieces[i].low, pieces[i].high));
		}
		assert_true(spanmap_finish(&map));
		for (address = 0; address < 400; address++) {
			uint32_t best = SPANMAP_NONE;
			uint64_t best_bytes = UINT64_MAX;

			for (i = 0; i < 40; i++) {
				uint64_t bytes = pieces[i].high - pieces[i].low;

				if (address < pieces[i].low ||
					address >= pieces[i].high ||
					bytes > best_bytes)
					continue;
				best = i;
				best_bytes = bytes;
			}
			assert_int_equal(spanmap_at(&map, address), best);
		}
		spanmap_free(&map);
	}
}

static void neighbouring_pieces_of_a_function_count_as_one(void **state)
{
	const uint32_t first = 0;
	const uint32_t second = 1;
	struct spanmap map = {0};

	(void)state;
	spanmap_begin(&map, first);
	/* 10 and 10 bytes, which are 20: more than the other one's 15 */
	assert_true(spanmap_add(&map, 100, 110));
	assert_true(spanmap_add(&map, 110, 120));
	spanmap_begin(&map, second);
	assert_true(spanmap_add(&map, 105, 120));
	assert_true(spanmap_finish(&map));
	assert_int_equal(spanmap_at(&map, 104), first);
	assert_int_equal(spanmap_at(&map, 106), second);
	spanmap_free(&map);
}

static void what_lies_below_the_code_is_dropped(void **state)
{
	struct spanmap map = {.floor = 1000};

	(void)state;
	spanmap_begin(&map, 0);
	assert_true(spanmap_add(&map, 0, 5000));
	assert_true(spanmap_add(&map, 3000, 3010));
	assert_true(spanmap_finish(&map));
	assert_int_equal(spanmap_at(&map, 2005), SPANMAP_NONE);
	assert_int_equal(spanmap_at(&map, 3005), 0);
	spanmap_free(&map);
}

static void more_pieces_than_there_may_be_are_refused(void **state)
{
	struct spanmap map = {.piece_max = 2};

	(void)state;
	spanmap_begin(&map, 0);
	assert_true(spanmap_add(&map, 10, 20));
	assert_true(spanmap_add(&map, 30, 40));
	assert_false(spanmap_add(&map, 50, 60));
	assert_true(spanmap_finish(&map));
	assert_int_equal(spanmap_at(&map, 55), SPANMAP_NONE);
	assert_int_equal(spanmap_at(&map, 35), 0);
	spanmap_free(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_innermost_of_nested_functions_is_found),
		cmocka_unit_test(spans_agree_with_a_search_of_all_pieces),
		cmocka_unit_test(
			neighbouring_pieces_of_a_function_count_as_one),
		cmocka_unit_test(what_lies_below_the_code_is_dropped),
		cmocka_unit_test(more_pieces_than_there_may_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
