#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decoder/runs/run_diff.h"

/* Calls of a place, of all, and seconds, in both runs. */
static int change(uint64_t a, uint64_t b, uint64_t all_a, uint64_t all_b,
	double seconds_a, double seconds_b)
{
	const struct run_change_calls calls = {
		{a, b}, {all_a, all_b}, {seconds_a, seconds_b}};
	double much = run_change_of_calls(&calls);

	return (much > 0) - (much < 0);
}

static void twice_as_long_is_no_change(void **state)
{
	(void)state;
	assert_int_equal(change(100, 200, 1000, 2000, 10, 20), 0);
}

static void slower_is_no_change(void **state)
{
	(void)state;
	assert_int_equal(change(100, 100, 1000, 1000, 1, 20), 0);
}

static void more_and_less_are_seen_in_runs_of_any_length(void **state)
{
	(void)state;
	assert_int_equal(change(100, 200, 1000, 1100, 10, 10), 1);
	assert_int_equal(change(100, 500, 1000, 10000, 10, 100), -1);
	assert_int_equal(change(100, 2000, 1000, 10000, 10, 100), 1);
	assert_int_equal(change(10, 20, 1000, 1010, 1, 2), 1);
}

static void when_one_place_is_busy_the_others_have_not_changed(void **state)
{
	(void)state;
	assert_int_equal(change(9000, 90000, 10000, 91000, 10, 10), 1);
	assert_int_equal(change(1000, 1000, 10000, 91000, 10, 10), 0);
}

static void a_place_alone_is_compared_with_itself(void **state)
{
	(void)state;
	assert_int_equal(change(100, 1000, 100, 1000, 10, 10), 1);
	assert_int_equal(change(100, 1000, 100, 1000, 10, 100), 0);
}

static void chance_is_no_change(void **state)
{
	(void)state;
	assert_int_equal(change(2, 4, 1000, 1000, 10, 10), 0);
	assert_int_equal(change(100, 130, 1000, 1030, 10, 10), 0);
}

static struct run_range range(double least, double most, double deviation)
{
	return (struct run_range){
		.count = 100,
		.least = least,
		.most = most,
		.mean = (least + most) / 2,
		.squares = 100 * deviation * deviation,
	};
}

static void values_have_changed_when_they_are_clearly_others(void **state)
{
	const struct run_range before = range(1, 9, 2);
	const struct run_range apart = range(10, 18, 2);
	const struct run_range moved = range(5, 14, 2);
	const struct run_range near = range(2, 10, 2);
	const struct run_range wide = range(-95, 105, 60);
	const struct run_range none = {0};

	(void)state;
	assert_true(run_change_of_values(&before, &apart));
	assert_true(run_change_of_values(&apart, &before));
	assert_true(run_change_of_values(&before, &moved));
	assert_true(run_change_of_values(&before, &wide));
	assert_true(run_change_of_values(&wide, &before));
	assert_false(run_change_of_values(&before, &near));
	assert_false(run_change_of_values(&before, &before));
	assert_false(run_change_of_values(&before, &none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twice_as_long_is_no_change),
		cmocka_unit_test(slower_is_no_change),
		cmocka_unit_test(more_and_less_are_seen_in_runs_of_any_length),
		cmocka_unit_test(
			when_one_place_is_busy_the_others_have_not_changed),
		cmocka_unit_test(a_place_alone_is_compared_with_itself),
		cmocka_unit_test(chance_is_no_change),
		cmocka_unit_test(
			values_have_changed_when_they_are_clearly_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
