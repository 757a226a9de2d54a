#include <float.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/number_text.h"
#include "decoder/stats/number_bars.h"
#include "decoder/stats/numbers.h"
#include "decoder/stats/time_bars.h"

static void sums_are_those_of_all_values(void **state)
{
	struct numbers_room room = numbers_room();
	struct numbers numbers = {0};
	const int64_t values[] = {5, -3, 5, 9, INT32_MAX};

	(void)state;
	numbers_add_integers(&numbers, &room, values, 5);
	numbers_add_integer(&numbers, &room, 5, 3);
	assert_int_equal(numbers.count, 8);
	assert_true(numbers.least == -3 && numbers.most == INT32_MAX);
	assert_true(numbers_mean(&numbers) == (31.0L + INT32_MAX) / 8);
	assert_true(numbers_percentile(&numbers, 500) == 5);
	assert_true(numbers_percentile(&numbers, 1000) == INT32_MAX);
	numbers_free(&numbers, &room);
	numbers_room_free(&room);
}

static void far_from_zero_the_deviation_is_right(void **state)
{
	struct numbers_room room = numbers_room();
	struct numbers numbers = {0};
	int64_t i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		int64_t value = INT64_C(4000000000000000000) + i % 2;

		numbers_add_integers(&numbers, &room, &value, 1);
	}
	assert_true(numbers_deviation(&numbers) == 0.5L);
	numbers_free(&numbers, &room);
	numbers_room_free(&room);
}

static void extremes_are_kept_and_nothing_that_is_not_finite(void **state)
{
	struct numbers_room room = numbers_room();
	struct numbers numbers = {0};
	const double values[] = {
		NAN, DBL_MAX, -DBL_MAX, INFINITY, DBL_TRUE_MIN, -0.0};

	(void)state;
	numbers_add_floats(&numbers, &room, values, 6);
	assert_int_equal(numbers.count, 4);
	assert_int_equal(numbers.left_out, 2);
	assert_true(numbers.most == DBL_MAX && numbers.least == -DBL_MAX);
	assert_true(numbers_percentile(&numbers, 1) >= -DBL_MAX);
	assert_true(fabsl(numbers_percentile(&numbers, 500)) < DBL_MIN);
	numbers_free(&numbers, &room);
	numbers_room_free(&room);
}

/* Against the values themselves, sorted. */
static int compare(const void *one, const void *other)
{
	double a = *(const double *)one;
	double b = *(const double *)other;

	return a < b ? -1 : a > b;
}

static void percentiles_are_near_the_exact_ones(void **state)
{
	enum { COUNT = 5000 };
	static double values[COUNT];
	struct numbers_room room = numbers_room();
	struct numbers numbers = {0};
	uint64_t random = 1;
	unsigned part;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		values[i] = ldexp((double)(int64_t)random, -(int)(random % 90));
	}
	numbers_add_floats(&numbers, &room, values, COUNT);
	qsort(values, COUNT, sizeof(values[0]), compare);
	for (part = 1; part <= 1000; part++) {
		double exact = values[(COUNT * part + 999) / 1000 - 1];

		assert_true(fabsl(numbers_percentile(&numbers, part) - exact) <=
			    fabsl(exact) / 1024);
	}
	numbers_free(&numbers, &room);
	numbers_room_free(&room);
}

static void without_memory_the_sum_still_has_all(void **state)
{
	struct numbers_room room = numbers_room();
	struct numbers poor = {0};
	struct numbers rich = {0};
	struct numbers sum = {0};
	int64_t i;

	(void)state;
	for (i = 0; i < 10; i++)
		numbers_add_integer(&rich, &room, i, 1);
	room.left = 6000; /* a page, but not two */
	for (i = 1; i <= 100; i++)
		numbers_add_integer(&poor, &room, i, 1);
	assert_true(poor.spilled && !rich.spilled && !room.failed);
	numbers_merge(&sum, &room, &rich);
	numbers_merge(&sum, &room, &poor);
	numbers_add_spilled(&sum, &room);
	assert_int_equal(sum.count, 110);
	assert_true(numbers_percentile(&sum, 1000) == 100);
	assert_true(numbers_percentile(&sum, 500) == 45);
	numbers_free(&poor, &room);
	numbers_free(&rich, &room);
	numbers_free(&sum, &room);
	numbers_room_free(&room);
}

static uint64_t count_all(const struct number_bars *bars, long double width,
	long double least, long double most)
{
	long double at = floorl(least / width);
	uint64_t count = 0;

	for (; at * width <= most; at++)
		count += number_bars_count(bars, at * width, width);
	return count;
}

static void zeros_alone_are_one_bar(void **state)
{
	struct number_bars *bars = number_bars_new();

	(void)state;
	number_bars_add(bars, 0, 3);
	assert_int_equal(number_bars_count(bars, 0, 1), 3);
	assert_int_equal(number_bars_count(bars, -1, 1), 0);
	number_bars_free(bars);
}

static void bars_are_round_where_they_can_be(void **state)
{
	struct number_bars *bars = number_bars_new();
	int64_t i;

	(void)state;
	for (i = 0; i < 1000; i++)
		number_bars_add_integers(bars, &i, 1);
	assert_true(number_bars_width(bars, 20, true) == 50);
	assert_int_equal(number_bars_count(bars, 100, 50), 50);
	i = -1;
	number_bars_add_integers(bars, &i, 1);
	assert_int_equal(number_bars_count(bars, -50, 50), 1);
	i = INT64_MIN;
	number_bars_add_integers(bars, &i, 1);
	number_bars_add(bars, 0x1p64L - 1, 1);
	assert_int_equal(count_all(bars, number_bars_width(bars, 20, true),
				 -0x1p63L, 0x1p64L - 1),
		1003);
	number_bars_free(bars);
}

static void the_order_of_values_makes_no_bars(void **state)
{
	const double values[] = {1e-300, 0, -7, 1e300, 2, 1e-9, 12345.678};
	struct number_bars *one = number_bars_new();
	struct number_bars *other = number_bars_new();
	long double width;
	size_t i;

	(void)state;
	number_bars_add_floats(one, values, 7);
	for (i = 7; i > 0; i--)
		number_bars_add(other, values[i - 1], 1);
	width = number_bars_width(one, 20, false);
	assert_true(width == number_bars_width(other, 20, false));
	assert_int_equal(count_all(one, width, -7, 1e300), 7);
	assert_int_equal(number_bars_count(one, 0, width),
		number_bars_count(other, 0, width));
	number_bars_free(one);
	number_bars_free(other);
}

static void stretches_of_time_grow_as_they_must(void **state)
{
	static struct time_bars bars;
	uint64_t start = UINT64_C(1763769600000000000);
	uint64_t second = 1000000000;
	uint64_t i;

	(void)state;
	time_bars_begin(&bars, 0);
	for (i = 0; i < 600; i++)
		time_bars_add(&bars, start + i * second);
	time_bars_add(&bars, start - second); /* a clock was set back */
	time_bars_settle(&bars, 50);
	assert_int_equal(bars.length, 20 * second);
	assert_int_equal(bars.last - bars.first, 30);
	assert_int_equal(bars.counts[bars.first % TIME_BARS_MAX], 1);
	assert_int_equal(bars.counts[bars.last % TIME_BARS_MAX], 20);
}

static void times_of_all_ages_are_counted(void **state)
{
	static struct time_bars bars;
	uint64_t sum = 0;
	size_t i;

	(void)state;
	time_bars_begin(&bars, 0);
	time_bars_add(&bars, 0);
	time_bars_add(&bars, UINT64_MAX);
	time_bars_add(&bars, 1);
	time_bars_settle(&bars, 2);
	for (i = 0; i < TIME_BARS_MAX; i++)
		sum += bars.counts[i];
	assert_int_equal(sum, 3);
	assert_false(bars.failed);
}

static void texts_are_short_and_whole(void **state)
{
	static const struct {
		long double value;
		const char *text;
	} rounded[] = {{0, "0"}, {1.5, "1.5"}, {1234567.8L, "1234568"},
		{0.0361234567L, "0.0361235"}, {-12.3456789L, "-12.3457"},
		{1e20L, "1e+20"}, {0.00001L, "1e-05"}, {100, "100"}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rounded) / sizeof(rounded[0]); i++)
		assert_string_equal(number_text_rounded(rounded[i].value).text,
			rounded[i].text);
	assert_string_equal(number_text_value(0x1p64L - 1, false).text,
		"18446744073709551615");
	assert_string_equal(number_text_value(0.1, true).text, "0.1");
	assert_string_equal(number_text_share(1, 3).text, "33.33");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_those_of_all_values),
		cmocka_unit_test(far_from_zero_the_deviation_is_right),
		cmocka_unit_test(
			extremes_are_kept_and_nothing_that_is_not_finite),
		cmocka_unit_test(percentiles_are_near_the_exact_ones),
		cmocka_unit_test(without_memory_the_sum_still_has_all),
		cmocka_unit_test(zeros_alone_are_one_bar),
		cmocka_unit_test(bars_are_round_where_they_can_be),
		cmocka_unit_test(the_order_of_values_makes_no_bars),
		cmocka_unit_test(stretches_of_time_grow_as_they_must),
		cmocka_unit_test(times_of_all_ages_are_counted),
		cmocka_unit_test(texts_are_short_and_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
