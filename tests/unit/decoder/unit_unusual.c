#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/stats/unusual.h"

#define SECOND 1e9

static struct peaks peaks_of(const double *values, size_t count)
{
	struct peaks peaks = {0};
	size_t i;

	for (i = 0; i < count; i++)
		peaks_add(&peaks, values[i], i, i + 1);
	return peaks;
}

static unsigned apart_of(const double *values, size_t count)
{
	struct peaks peaks = peaks_of(values, count);

	return peaks_apart(&peaks, 4);
}

static void the_largest_are_kept_in_their_order(void **state)
{
	const double values[] = {3, 9, 1, 9, 40, 2, 5};
	struct peaks peaks = peaks_of(values, 7);

	(void)state;
	assert_int_equal(peaks.count, 7);
	assert_true(peaks.sum == 69);
	assert_true(peaks.top[0].value == 40 && peaks.top[0].from == 4);
	assert_true(peaks.top[1].from == 1 && peaks.top[2].from == 3);
	assert_true(peaks.top[3].value == 5);
}

static void those_apart_are_each_so_many_times_the_rest(void **state)
{
	const double none[] = {1, 2, 3, 4, 5, 6};
	const double one[] = {1, 20, 3, 4, 5, 2};
	const double two[] = {1, 40, 3, 4, 5, 20};
	const double four[] = {100, 100, 100, 100, 5};
	const double alone[] = {100};

	(void)state;
	assert_int_equal(peaks_apart(&(struct peaks){0}, 4), 0);
	assert_int_equal(peaks_apart(&(struct peaks){.count = 9}, 4), 0);
	assert_int_equal(apart_of(none, 6), 0);
	assert_int_equal(apart_of(one, 6), 1);
	assert_int_equal(apart_of(two, 6), 2);
	assert_int_equal(apart_of(four, 5), 0);
	assert_int_equal(apart_of(alone, 1), 0);
}

static void a_silence_is_long_beside_all_other_times(void **state)
{
	(void)state;
	/* As a clock: five times as long is enough. */
	assert_true(peaks_is_silence(5 * SECOND, SECOND, SECOND, 100));
	assert_false(peaks_is_silence(3.9 * SECOND, SECOND, SECOND, 100));
	/* At random, of 100: the longest of them is some five times the mean.
	 */
	assert_false(peaks_is_silence(10 * SECOND, 2.4 * SECOND, SECOND, 100));
	assert_true(peaks_is_silence(20 * SECOND, 5 * SECOND, SECOND, 100));
	assert_false(peaks_is_silence(13.5 * SECOND, 3 * SECOND, SECOND, 100));
	/* Too few, too short, longer than all that was heard of it. */
	assert_false(peaks_is_silence(5 * SECOND, SECOND, SECOND, 19));
	assert_false(peaks_is_silence(0.9 * SECOND, 1000, 1000, 1 << 30));
	assert_false(peaks_is_silence(51 * SECOND, SECOND, SECOND, 50));
	/* Of times that are all nothing nothing is known. */
	assert_false(peaks_is_silence(2 * SECOND, 0, 0, 1000));
}

static void the_middle_is_known_to_a_power_of_two(void **state)
{
	struct spread spread = {0};
	const double odd[] = {-5, 0, 1e300, 1e-300};
	size_t i;

	(void)state;
	for (i = 0; i < 100; i++)
		spread_add(&spread, (double)(100 + i % 20));
	assert_true(spread_middle(&spread, 100) == 128);
	for (i = 0; i < 99; i++)
		spread_add(&spread, 3);
	assert_true(spread_middle(&spread, 199) == 128);
	for (i = 0; i < 3; i++)
		spread_add(&spread, 3);
	assert_true(spread_middle(&spread, 202) == 4);
	memset(&spread, 0, sizeof(spread));
	for (i = 0; i < 4; i++)
		spread_add(&spread, odd[i]);
	assert_true(spread_middle(&spread, 4) > 0);
	spread_add(&spread, 0);
	assert_true(spread_middle(&spread, 5) == 0);
	memset(&spread, 0, sizeof(spread));
	for (i = 0; i < 50; i++)
		spread_add(&spread, 0.75 / 4096);
	assert_true(spread_middle(&spread, 50) == 1.0 / 4096);
}

static void windows_grow_with_the_log_and_lose_nothing(void **state)
{
	struct windows windows = {0};
	unsigned shift = 0;
	uint64_t counted = 0;
	uint64_t i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		uint64_t offset = i * i * 1000;

		shift = windows_shift(shift, offset);
		windows_add(&windows, offset, shift);
	}
	assert_int_equal(windows.shift, shift);
	for (i = 0; i < WINDOWS; i++)
		counted += windows.counts[i];
	assert_int_equal(counted, 100000);
	for (counted = i = 0; i < 100000; i++)
		counted += i * i * 1000 >> shift == 7;
	assert_int_equal(windows.counts[7], counted);
	shift = windows_shift(shift, UINT64_MAX);
	windows_add(&windows, UINT64_MAX, shift);
	assert_int_equal(windows.counts[WINDOWS - 1], 1);
	windows.counts[0] = windows.counts[1] = UINT32_MAX;
	windows_add(&windows, 0, shift);
	windows_widen(&windows, shift + 1);
	assert_int_equal(windows.counts[0], UINT32_MAX);
}

/* 64 windows with so many each, of which those have others. */
static size_t changes_of(uint32_t each, unsigned begin, unsigned end,
	uint32_t others,
	struct windows_change changes[static 2 * WINDOWS_CHANGES])
{
	struct windows windows = {.shift = WINDOWS_SHIFT_LEAST};
	unsigned i;

	for (i = 0; i < 64; i++)
		windows.counts[i] =
			i >= begin && i < end ? others : each + i * 7 % 3;
	return windows_changes(&windows, &windows, 0, 63, changes);
}

static void a_window_with_many_more_is_a_burst(void **state)
{
	struct windows_change changes[2 * WINDOWS_CHANGES];

	(void)state;
	assert_int_equal(changes_of(10, 0, 0, 0, changes), 0);
	assert_int_equal(changes_of(10, 30, 32, 50, changes), 1);
	assert_true(changes[0].more && changes[0].begin == 30 &&
		    changes[0].end == 32 && changes[0].count == 100 &&
		    changes[0].most == 50 && changes[0].before == 12);
	/* up to the end */
	assert_int_equal(changes_of(10, 60, 64, 50, changes), 1);
	assert_int_equal(changes[0].end, 64);
	/* not three times as many, too few, nothing to compare with */
	assert_int_equal(changes_of(10, 30, 32, 35, changes), 0);
	assert_int_equal(changes_of(40, 30, 32, 120, changes), 0);
	assert_int_equal(changes_of(40, 30, 32, 126, changes), 1);
	assert_int_equal(changes_of(1, 30, 32, 19, changes), 0);
	assert_int_equal(changes_of(10, 7, 8, 500, changes), 0);
	assert_int_equal(changes_of(10, 8, 9, 500, changes), 1);
	/* random events would do that */
	assert_int_equal(changes_of(3, 30, 31, 20, changes), 1);
	assert_int_equal(changes_of(5, 30, 31, 22, changes), 0);
}

static void two_windows_with_many_fewer_are_a_slump(void **state)
{
	struct windows_change changes[2 * WINDOWS_CHANGES];

	(void)state;
	assert_int_equal(changes_of(60, 30, 34, 9, changes), 1);
	assert_true(!changes[0].more && changes[0].begin == 30 &&
		    changes[0].end == 34 && changes[0].before == 60);
	assert_int_equal(changes_of(60, 30, 31, 9, changes), 0);
	assert_int_equal(changes_of(60, 30, 34, 16, changes), 0);
	assert_int_equal(changes_of(8, 30, 34, 1, changes), 0);
	/* silence is another thing */
	assert_int_equal(changes_of(60, 30, 34, 0, changes), 0);
	/* the last window is not over */
	assert_int_equal(changes_of(60, 63, 64, 1, changes), 0);
}

static void a_change_lasts_while_there_are_twice_or_half_as_many(void **state)
{
	struct windows_change changes[2 * WINDOWS_CHANGES];
	struct windows windows = {.shift = WINDOWS_SHIFT_LEAST};
	const uint32_t fewer[] = {9, 25, 45};
	const uint32_t more[] = {400, 130, 110};
	unsigned i;

	(void)state;
	for (i = 0; i < 64; i++)
		windows.counts[i] = 60;
	memcpy(windows.counts + 20, fewer, sizeof(fewer));
	memcpy(windows.counts + 40, more, sizeof(more));
	assert_int_equal(
		windows_changes(&windows, &windows, 0, 63, changes), 2);
	assert_true(!changes[0].more && changes[0].end == 22 &&
		    changes[0].count == 34 && changes[0].most == 9);
	assert_true(changes[1].more && changes[1].end == 42 &&
		    changes[1].count == 530 && changes[1].most == 400);
}

static void while_nobody_spoke_nothing_is_compared(void **state)
{
	struct windows_change changes[2 * WINDOWS_CHANGES];
	struct windows windows = {.shift = WINDOWS_SHIFT_LEAST};
	struct windows alive = windows;
	unsigned i;

	(void)state;
	windows.counts[0] = alive.counts[0] = 20; /* a short run */
	for (i = 30; i < 64; i++)
		windows.counts[i] = alive.counts[i] = 200;
	assert_int_equal(windows_changes(&windows, &alive, 0, 63, changes), 0);
	for (i = 0; i < 30; i++)
		alive.counts[i] = 1;
	assert_int_equal(windows_changes(&windows, &alive, 0, 63, changes), 1);
}

static void what_happens_often_is_how_it_is(void **state)
{
	struct windows_change changes[2 * WINDOWS_CHANGES];
	struct windows windows = {.shift = WINDOWS_SHIFT_LEAST};
	unsigned i;

	(void)state;
	for (i = 0; i < WINDOWS; i++)
		windows.counts[i] = i % 30 == 29 ? 100 : 10;
	assert_int_equal(
		windows_changes(&windows, &windows, 0, 127, changes), 0);
	assert_int_equal(
		windows_changes(&windows, &windows, 0, 100, changes), 3);
	for (i = 0; i < WINDOWS; i++)
		windows.counts[i] = i * i % 5 * 20;
	assert_int_equal(
		windows_changes(&windows, &windows, 0, 127, changes), 0);
}

/* Counts up by `step`, and says at some turns another number. */
static struct steps steps_of(
	int64_t step, int turns, const int64_t (*others)[2], size_t count)
{
	struct steps steps = {0};
	int64_t value = 100;
	size_t other;
	int i;

	for (i = 0; i < turns;
		i++, value = (int64_t)((uint64_t)value + (uint64_t)step)) {
		for (other = 0; other < count; other++)
			if (others[other][0] == i)
				value = others[other][1];
		steps_add(&steps, value, (uint64_t)i);
	}
	return steps;
}

static void a_counter_that_counts_is_usual(void **state)
{
	struct steps_break breaks[STEPS_KEPT];
	struct steps steps = steps_of(1, 1000, NULL, 0);

	(void)state;
	assert_true(steps_are_even(&steps));
	assert_int_equal(steps_unusual(&steps, breaks), 0);
	steps = steps_of(0, 1000, NULL, 0);
	assert_false(steps_are_even(&steps));
	assert_int_equal(steps_unusual(&steps, breaks), 0);
	steps = steps_of(INT64_MAX / 3, 1000, NULL, 0);
	assert_true(steps_are_even(&steps));
}

static void jumps_falls_and_repeats_are_kept_with_their_time(void **state)
{
	struct steps_break breaks[STEPS_KEPT];
	const int64_t others[][2] = {{300, 5000}, {500, 4000}, {700, 4199}};
	struct steps steps = steps_of(1, 1000, others, 3);

	(void)state;
	assert_int_equal(steps_unusual(&steps, breaks), 3);
	assert_true(breaks[0].from == 399 && breaks[0].to == 5000 &&
		    breaks[0].wall == 300);
	assert_true(breaks[1].from == 5199 && breaks[1].to == 4000);
	assert_true(breaks[2].from == 4199 && breaks[2].to == 4199 &&
		    breaks[2].wall == 700);
}

static void a_value_that_stands_alone_is_told_once(void **state)
{
	struct steps_break breaks[STEPS_KEPT];
	const int64_t others[][2] = {{300, 5000}, {301, 401}};
	struct steps steps = steps_of(1, 1000, others, 2);

	(void)state;
	assert_int_equal(steps_unusual(&steps, breaks), 1);
	assert_int_equal(breaks[0].to, 5000);
}

static void beginning_anew_is_usual_and_so_is_what_is_frequent(void **state)
{
	struct steps_break breaks[STEPS_KEPT];
	const int64_t anew[][2] = {{300, 100}, {600, 0}};
	const int64_t many[][2] = {
		{100, 900}, {200, 1900}, {300, 2900}, {400, 3900}};
	struct steps steps = steps_of(1, 1000, anew, 2);

	(void)state;
	assert_int_equal(steps_unusual(&steps, breaks), 0);
	steps = steps_of(1, 1000, many, 4);
	assert_int_equal(steps_unusual(&steps, breaks), 0);
	steps = steps_of(1, 120, many, 1);
	assert_int_equal(steps_unusual(&steps, breaks), 1);
	steps = steps_of(1, 45, NULL, 0);
	assert_false(steps_are_even(&steps));
	/* a few steps are enough to know what is usual */
	steps = steps_of(1, 1000, (const int64_t[][2]){{10, 900}}, 1);
	assert_int_equal(steps_unusual(&steps, breaks), 1);
	steps = steps_of(1, 1000, (const int64_t[][2]){{5, 900}}, 1);
	assert_int_equal(steps_unusual(&steps, breaks), 0);
}

static void down_it_is_the_other_way_round(void **state)
{
	struct steps_break breaks[STEPS_KEPT];
	const int64_t others[][2] = {{300, 0}, {600, 100}};
	struct steps steps = steps_of(-2, 1000, others, 2);

	(void)state;
	assert_true(steps_are_even(&steps));
	/* up to where it began is anew */
	assert_int_equal(steps_unusual(&steps, breaks), 1);
	assert_true(breaks[0].from == -498 && breaks[0].to == 0);
}

static void what_rises_unevenly_may_not_fall(void **state)
{
	struct steps_break breaks[STEPS_KEPT];
	struct steps steps = {0};
	int64_t value = 0;
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		value += 1 + i * 7919 % 13;
		if (i == 500)
			value -= 1000;
		steps_add(&steps, value, (uint64_t)i);
	}
	assert_false(steps_are_even(&steps));
	assert_true(steps_rise(&steps));
	assert_int_equal(steps_unusual(&steps, breaks), 1);
	assert_int_equal(breaks[0].wall, 500);
	for (i = 0; i < 1000; i++)
		steps_add(&steps, i * 7919 % 1009, 0);
	assert_false(steps_rise(&steps));
	assert_int_equal(steps_unusual(&steps, breaks), 0);
}

static void differences_that_overflow_are_differences(void **state)
{
	struct steps_break breaks[STEPS_KEPT];
	struct steps steps = {0};
	int i;

	(void)state;
	for (i = 0; i < 200; i++)
		steps_add(&steps, i % 2 ? INT64_MAX : INT64_MIN, 1);
	assert_true(steps_unusual(&steps, breaks) <= STEPS_KEPT);
	steps = (struct steps){0};
	for (i = 0; i < 200; i++)
		steps_add(&steps,
			(int64_t)((uint64_t)INT64_MAX - 100 + (uint64_t)i), 1);
	assert_true(steps_are_even(&steps));
	assert_int_equal(steps_unusual(&steps, breaks), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_are_kept_in_their_order),
		cmocka_unit_test(those_apart_are_each_so_many_times_the_rest),
		cmocka_unit_test(a_silence_is_long_beside_all_other_times),
		cmocka_unit_test(the_middle_is_known_to_a_power_of_two),
		cmocka_unit_test(windows_grow_with_the_log_and_lose_nothing),
		cmocka_unit_test(a_window_with_many_more_is_a_burst),
		cmocka_unit_test(two_windows_with_many_fewer_are_a_slump),
		cmocka_unit_test(
			a_change_lasts_while_there_are_twice_or_half_as_many),
		cmocka_unit_test(while_nobody_spoke_nothing_is_compared),
		cmocka_unit_test(what_happens_often_is_how_it_is),
		cmocka_unit_test(a_counter_that_counts_is_usual),
		cmocka_unit_test(
			jumps_falls_and_repeats_are_kept_with_their_time),
		cmocka_unit_test(a_value_that_stands_alone_is_told_once),
		cmocka_unit_test(
			beginning_anew_is_usual_and_so_is_what_is_frequent),
		cmocka_unit_test(down_it_is_the_other_way_round),
		cmocka_unit_test(what_rises_unevenly_may_not_fall),
		cmocka_unit_test(differences_that_overflow_are_differences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
