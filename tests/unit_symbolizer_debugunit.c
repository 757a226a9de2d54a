#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/debugunit.h"

static uint32_t function(struct debugunit *unit)
{
	return debugunit_add_function(
		unit, &(struct debugunit_function){.caller = DEBUGUNIT_NONE});
}

static void row(struct debugunit *unit, uint64_t address, uint32_t line)
{
	assert_true(debugunit_add_row(unit,
		&(struct debugunit_row){.address = address, .line = line}));
}

static uint32_t line_at(const struct debugunit *unit, uint64_t address)
{
	const struct debugunit_row *found = debugunit_row_at(unit, address);

	return found ? found->line : 0;
}

static void the_innermost_of_nested_functions_is_found(void **state)
{
	struct debugunit unit = {0};
	uint32_t outer = function(&unit);
	uint32_t inner;

	(void)state;
	assert_true(debugunit_add_piece(&unit, 100, 200));
	inner = function(&unit);
	assert_true(debugunit_add_piece(&unit, 120, 140));
	assert_true(debugunit_add_piece(&unit, 160, 170));
	assert_true(debugunit_finish(&unit));
	assert_int_equal(debugunit_function_at(&unit, 99), DEBUGUNIT_NONE);
	assert_int_equal(debugunit_function_at(&unit, 100), outer);
	assert_int_equal(debugunit_function_at(&unit, 119), outer);
	assert_int_equal(debugunit_function_at(&unit, 120), inner);
	assert_int_equal(debugunit_function_at(&unit, 139), inner);
	assert_int_equal(debugunit_function_at(&unit, 140), outer);
	assert_int_equal(debugunit_function_at(&unit, 165), inner);
	assert_int_equal(debugunit_function_at(&unit, 199), outer);
	assert_int_equal(debugunit_function_at(&unit, 200), DEBUGUNIT_NONE);
	debugunit_free(&unit);
}

/* Compared with the definition, over all addresses of many random pieces. */
static void spans_agree_with_a_search_of_all_pieces(void **state)
{
	uint32_t random = 12345;
	unsigned round;

	(void)state;
	for (round = 0; round < 50; round++) {
		struct debugunit unit = {0};
		struct {
			uint64_t low, high;
		} pieces[40];
		uint64_t address;
		uint32_t i;

		for (i = 0; i < 40; i++) {
			random = random * 1664525 + 1013904223;
			pieces[i].low = random >> 24;
			pieces[i].high = pieces[i].low + (random >> 8) % 60 + 1;
			assert_int_equal(function(&unit), i);
			assert_true(debugunit_add_piece(
				&unit, pieces[i].low, pieces[i].high));
		}
		assert_true(debugunit_finish(&unit));
		for (address = 0; address < 400; address++) {
			uint32_t best = DEBUGUNIT_NONE;
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
			assert_int_equal(
				debugunit_function_at(&unit, address), best);
		}
		debugunit_free(&unit);
	}
}

static void neighbouring_pieces_of_a_function_count_as_one(void **state)
{
	struct debugunit unit = {0};
	uint32_t first = function(&unit);
	uint32_t second;

	(void)state;
	/* 10 and 10 bytes, which are 20: more than the other one's 15 */
	assert_true(debugunit_add_piece(&unit, 100, 110));
	assert_true(debugunit_add_piece(&unit, 110, 120));
	second = function(&unit);
	assert_true(debugunit_add_piece(&unit, 105, 120));
	assert_true(debugunit_finish(&unit));
	assert_int_equal(debugunit_function_at(&unit, 104), first);
	assert_int_equal(debugunit_function_at(&unit, 106), second);
	debugunit_free(&unit);
}

static void of_rows_with_one_address_the_last_one_holds(void **state)
{
	struct debugunit unit = {0};

	(void)state;
	row(&unit, 100, 1);
	row(&unit, 100, 2);
	row(&unit, 110, 3);
	assert_true(debugunit_end_sequence(&unit, 120));
	assert_true(debugunit_finish(&unit));
	assert_int_equal(line_at(&unit, 99), 0);
	assert_int_equal(line_at(&unit, 105), 2);
	assert_int_equal(line_at(&unit, 119), 3);
	assert_int_equal(line_at(&unit, 120), 0);
	debugunit_free(&unit);
}

static void rows_out_of_order_are_sorted(void **state)
{
	struct debugunit unit = {0};

	(void)state;
	row(&unit, 110, 2);
	row(&unit, 100, 1);
	row(&unit, 105, 3);
	assert_true(debugunit_end_sequence(&unit, 120));
	assert_true(debugunit_finish(&unit));
	assert_int_equal(line_at(&unit, 104), 1);
	assert_int_equal(line_at(&unit, 109), 3);
	assert_int_equal(line_at(&unit, 119), 2);
	debugunit_free(&unit);
}

static void the_first_of_overlapping_sequences_keeps_its_lines(void **state)
{
	struct debugunit unit = {0};

	(void)state;
	row(&unit, 150, 2);
	assert_true(debugunit_end_sequence(&unit, 250));
	row(&unit, 100, 1);
	assert_true(debugunit_end_sequence(&unit, 200));
	row(&unit, 120, 3);
	assert_true(debugunit_end_sequence(&unit, 130));
	assert_true(debugunit_finish(&unit));
	assert_int_equal(line_at(&unit, 125), 1);
	assert_int_equal(line_at(&unit, 199), 1);
	assert_int_equal(line_at(&unit, 200), 2);
	debugunit_free(&unit);
}

static void what_lies_below_the_code_is_dropped(void **state)
{
	struct debugunit unit = {.floor = 1000};

	(void)state;
	function(&unit);
	assert_true(debugunit_add_piece(&unit, 0, 5000));
	row(&unit, 0, 7);
	assert_true(debugunit_end_sequence(&unit, 5000));
	row(&unit, 2000, 8);
	assert_true(debugunit_end_sequence(&unit, 2010));
	assert_true(debugunit_finish(&unit));
	assert_int_equal(debugunit_function_at(&unit, 2005), DEBUGUNIT_NONE);
	assert_int_equal(line_at(&unit, 2005), 8);
	assert_int_equal(line_at(&unit, 3000), 0);
	debugunit_free(&unit);
}

static void paths_are_joined_as_far_as_they_are_relative(void **state)
{
	struct debugunit unit = {.directory = "/build", .first_file = 1};

	(void)state;
	assert_true(debugunit_add_file(&unit, "a.c", NULL));
	assert_true(debugunit_add_file(&unit, "a.c", "src"));
	assert_true(debugunit_add_file(&unit, "a.c", "/src"));
	assert_true(debugunit_add_file(&unit, "/a.c", "/src"));
	assert_null(debugunit_path(&unit, 0));
	assert_string_equal(debugunit_path(&unit, 1), "/build/a.c");
	assert_string_equal(debugunit_path(&unit, 2), "/build/src/a.c");
	assert_string_equal(debugunit_path(&unit, 3), "/src/a.c");
	assert_string_equal(debugunit_path(&unit, 4), "/a.c");
	assert_null(debugunit_path(&unit, 5));
	debugunit_free(&unit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_innermost_of_nested_functions_is_found),
		cmocka_unit_test(spans_agree_with_a_search_of_all_pieces),
		cmocka_unit_test(
			neighbouring_pieces_of_a_function_count_as_one),
		cmocka_unit_test(of_rows_with_one_address_the_last_one_holds),
		cmocka_unit_test(rows_out_of_order_are_sorted),
		cmocka_unit_test(
			the_first_of_overlapping_sequences_keeps_its_lines),
		cmocka_unit_test(what_lies_below_the_code_is_dropped),
		cmocka_unit_test(paths_are_joined_as_far_as_they_are_relative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
