#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cursor.h"

static const uint8_t bytes[] = {
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static void reads_little_endian_numbers_one_after_the_other(void **state)
{
	struct cursor cursor = cursor_over(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(cursor_u32(&cursor), 0x04030201);
	assert_true(cursor_u64(&cursor) == 0x0c0b0a0908070605u);
	assert_int_equal(cursor_left(&cursor), 4);
	assert_false(cursor.failed);
}

static void the_last_byte_can_be_read_and_none_after_it(void **state)
{
	struct cursor cursor = cursor_over(bytes, 4);

	(void)state;
	assert_int_equal(cursor_u32(&cursor), 0x04030201);
	assert_false(cursor.failed);
	assert_non_null(cursor_bytes(&cursor, 0));
	assert_null(cursor_bytes(&cursor, 1));
	assert_true(cursor.failed);
}

static void the_first_step_beyond_the_end_sticks(void **state)
{
	struct cursor cursor = cursor_over(bytes, 7);

	(void)state;
	assert_true(cursor_u64(&cursor) == 0);
	assert_true(cursor.failed);
	assert_int_equal(cursor_left(&cursor), 0);
	assert_int_equal(cursor_u32(&cursor), 0);
	assert_null(cursor_bytes(&cursor, 0));
}

static void a_size_that_would_wrap_around_is_refused(void **state)
{
	struct cursor cursor = cursor_over(bytes, sizeof(bytes));

	(void)state;
	cursor_u32(&cursor);
	assert_null(cursor_bytes(&cursor, SIZE_MAX));
	cursor = cursor_over(bytes, sizeof(bytes));
	assert_null(cursor_padded(&cursor, SIZE_MAX - 1));
}

static void a_struct_is_there_in_full_or_all_zeros(void **state)
{
	struct cursor cursor = cursor_over(bytes, 12);
	struct {
		uint32_t first;
		uint32_t second;
	} pair = {1, 1};

	(void)state;
	cursor_struct(&cursor, &pair, sizeof(pair));
	assert_int_equal(pair.first, 0x04030201);
	assert_int_equal(pair.second, 0x08070605);
	cursor_struct(&cursor, &pair, sizeof(pair));
	assert_int_equal(pair.first, 0);
	assert_int_equal(pair.second, 0);
	assert_true(cursor.failed);
}

static void padding_is_part_of_what_must_be_there(void **state)
{
	struct cursor cursor = cursor_over(bytes, 8);

	(void)state;
	assert_ptr_equal(cursor_padded(&cursor, 3), bytes);
	assert_ptr_equal(cursor.at, bytes + 4);
	assert_ptr_equal(cursor_padded(&cursor, 4), bytes + 4);
	cursor = cursor_over(bytes, 7);
	cursor_u32(&cursor);
	assert_null(cursor_padded(&cursor, 3));
	assert_true(cursor.failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			reads_little_endian_numbers_one_after_the_other),
		cmocka_unit_test(the_last_byte_can_be_read_and_none_after_it),
		cmocka_unit_test(the_first_step_beyond_the_end_sticks),
		cmocka_unit_test(a_size_that_would_wrap_around_is_refused),
		cmocka_unit_test(a_struct_is_there_in_full_or_all_zeros),
		cmocka_unit_test(padding_is_part_of_what_must_be_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
