#include <stdarg.h>
#include <setjmp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/digits.h"

static void check(uint64_t value)
{
	char expected[32];
	char text[DIGITS_U64_MAX];
	int length = snprintf(expected, sizeof(expected), "%" PRIu64, value);

	assert_int_equal(digits_count(value), length);
	assert_int_equal(digits_write(text, value) - text, length);
	assert_memory_equal(text, expected, (size_t)length);
}

static void numbers_look_as_in_libc(void **state)
{
	uint64_t power = 1;
	int i;

	(void)state;
	for (i = 0; i < 20; i++, power *= 10) {
		check(power - 1);
		check(power);
		check(power + 1);
	}
	for (i = 0; i < 64; i++) {
		check((uint64_t)1 << i);
		check(((uint64_t)1 << i) - 1);
		check(UINT64_MAX >> i);
	}
}

static void the_last_digits_keep_their_zeros(void **state)
{
	char text[8];

	(void)state;
	assert_ptr_equal(digits_write_last(text, 1200345, 5), text + 5);
	assert_memory_equal(text, "00345", 5);
	assert_ptr_equal(digits_write_last(text, 7, 4), text + 4);
	assert_memory_equal(text, "0007", 4);
	assert_ptr_equal(digits_write_last(text, 7, 0), text);
}

static void check_nanoseconds(uint32_t value)
{
	char expected[16];
	char text[9];

	snprintf(expected, sizeof(expected), "%09" PRIu32, value);
	assert_ptr_equal(digits_write_nanoseconds(text, value), text + 9);
	assert_memory_equal(text, expected, 9);
}

static void nanoseconds_have_nine_digits(void **state)
{
	uint32_t value;

	(void)state;
	check_nanoseconds(999999999);
	for (value = 1; value < 1000000000; value *= 10) {
		check_nanoseconds(value);
		check_nanoseconds(value - 1);
	}
	for (value = 0; value < 1000000000; value += 123457)
		check_nanoseconds(value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_look_as_in_libc),
		cmocka_unit_test(the_last_digits_keep_their_zeros),
		cmocka_unit_test(nanoseconds_have_nine_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
