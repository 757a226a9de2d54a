#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "decoder/capture/wall_clock.h"
#include "tests/support/make_capture.h"

#define SECOND 1000000000ull
#define HOUR (3600ull * SECOND)
#define HERTZ 3000000000ull /* of the ticks below */

/* Anchors at whole seconds, each with what the wall clock showed. */
static struct recording make(struct recording_block *blocks,
	const uint64_t *realtimes, size_t count, struct error_list *errors)
{
	size_t i;

	for (i = 0; i < count; i++) {
		blocks[i] = (struct recording_block){0};
		blocks[i].anchor.ticks = i * HERTZ;
		blocks[i].anchor.monotonic = i * SECOND;
		blocks[i].anchor.boottime = i * SECOND;
		blocks[i].anchor.realtime = MAKE_EPOCH + realtimes[i];
	}
	return (struct recording){
		.path = "x",
		.header = {.clock = BINLOG_CLOCK_TSC,
			.start = blocks[0].anchor},
		.blocks = blocks,
		.block_count = count,
		.errors = errors,
	};
}

/* The wall time, since MAKE_EPOCH, of `ticks` after block `near`. */
static uint64_t time_of(
	const struct recording *capture, size_t near, uint64_t ticks)
{
	struct recording copy = *capture;
	struct wall_clock clock;
	struct wall_segment segment;
	uint64_t time;

	assert_true(wall_clock_begin(&clock, &copy));
	segment = wall_clock_segment(
		&clock, &capture->blocks[near].anchor, ticks);
	assert_true(wall_segment_holds(&segment, ticks));
	time = wall_segment_time(&segment, ticks);
	wall_clock_end(&clock);
	return time - MAKE_EPOCH;
}

static void time_is_interpolated_between_anchors(void **state)
{
	/* The wall clock is steered: one second takes 100 ppm more. */
	const uint64_t realtimes[] = {0, SECOND, 2 * SECOND + 100000};
	struct recording_block blocks[3];
	struct error_list errors = {0};
	struct recording capture = make(blocks, realtimes, 3, &errors);

	(void)state;
	assert_true(time_of(&capture, 0, 0) == 0);
	assert_true(time_of(&capture, 0, HERTZ / 2) == SECOND / 2);
	assert_true(time_of(&capture, 0, HERTZ) == SECOND);
	assert_true(time_of(&capture, 0, HERTZ + HERTZ / 2) ==
		    SECOND + SECOND / 2 + 50000);
	assert_int_equal(errors.count, 0);
}

/* The last of two anchors, 20 ms apart, an hour after the boot, was read late;
 * another process has an exact one. */
static void a_late_anchor_does_not_change_the_rate_of_hours(void **state)
{
	const uint64_t realtimes[] = {0, 0};
	struct recording_block blocks[2];
	struct error_list errors = {0};
	struct recording capture = make(blocks, realtimes, 2, &errors);
	const uint64_t late = 200;
	uint64_t told;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct binlog_anchor *anchor = &blocks[i].anchor;
		const uint64_t passed = i * (20000000 + late);

		anchor->ticks = 3600 * HERTZ + i * HERTZ / 50;
		anchor->boottime = anchor->monotonic = HOUR + passed;
		anchor->realtime = MAKE_EPOCH + passed;
	}
	capture.header.start = blocks[0].anchor;
	told = time_of(&capture, 1, 3601 * HERTZ);
	assert_in_range(told, SECOND, SECOND + late);
	assert_int_equal(errors.count, 0);
}

static void time_goes_on_at_the_same_rate_after_the_last_anchor(void **state)
{
	const uint64_t realtimes[] = {0, SECOND};
	struct recording_block blocks[2];
	struct error_list errors = {0};
	struct recording capture = make(blocks, realtimes, 2, &errors);

	(void)state;
	assert_true(time_of(&capture, 1, 10ull * HERTZ) == 10ull * SECOND);
}

static void a_clock_that_is_set_jumps_at_the_anchor(void **state)
{
	const uint64_t realtimes[] = {
		HOUR, HOUR + SECOND, 2 * SECOND, 3 * SECOND + HOUR};
	struct recording_block blocks[4];
	struct error_list errors = {0};
	struct recording capture = make(blocks, realtimes, 4, &errors);

	(void)state;
	assert_true(time_of(&capture, 0, HERTZ + HERTZ / 2) ==
		    HOUR + SECOND + SECOND / 2);
	errors.count = 0;
	assert_true(time_of(&capture, 0, 2ull * HERTZ + HERTZ / 2) ==
		    2 * SECOND + SECOND / 2);
	assert_int_equal(errors.count, 1);
	assert_int_equal(errors.kept[0].code, ERROR_SET_BACK);
	assert_int_equal(errors.kept[0].number, 3599 * 1000);
}

static void a_clock_that_is_set_forward_jumps_at_the_anchor(void **state)
{
	const uint64_t realtimes[] = {0, SECOND, 2 * SECOND + SECOND / 2};
	struct recording_block blocks[3];
	struct error_list errors = {0};
	struct recording capture = make(blocks, realtimes, 3, &errors);

	(void)state;
	assert_true(
		time_of(&capture, 0, HERTZ + HERTZ / 2) == SECOND + SECOND / 2);
	assert_int_equal(errors.count, 0);
}

static void an_absurd_rate_is_not_used(void **state)
{
	const uint64_t realtimes[] = {0, SECOND};
	struct recording_block blocks[2];
	struct error_list errors = {0};
	struct recording capture = make(blocks, realtimes, 2, &errors);

	(void)state;
	blocks[1].anchor.ticks = 1;
	assert_true(time_of(&capture, 1, 1000) == SECOND + 999);
}

static void nanoseconds_need_no_rate(void **state)
{
	const uint64_t realtimes[] = {0};
	struct recording_block blocks[1];
	struct error_list errors = {0};
	struct recording capture = make(blocks, realtimes, 1, &errors);

	(void)state;
	capture.header.clock = BINLOG_CLOCK_MONOTONIC;
	assert_true(time_of(&capture, 0, 12345) == 12345);
}

/* The wall time half a second after an anchor that a thread read alone, in
 * the middle of a second, when the wall clock showed `late` more. */
static uint64_t time_after_own_anchor(uint64_t late)
{
	const uint64_t realtimes[] = {0, SECOND, 2 * SECOND};
	struct recording_block blocks[3];
	struct error_list errors = {0};
	struct recording capture = make(blocks, realtimes, 3, &errors);
	struct binlog_anchor own = blocks[1].anchor;
	struct wall_clock clock;
	struct wall_segment segment;
	uint64_t time;

	own.ticks += HERTZ / 2;
	own.monotonic += SECOND / 2;
	own.boottime += SECOND / 2;
	own.realtime += SECOND / 2 + late;
	assert_true(wall_clock_begin(&clock, &capture));
	segment = wall_clock_segment(&clock, &own, own.ticks + 3);
	assert_true(wall_segment_holds(&segment, own.ticks + 3));
	time = wall_segment_time(&segment, own.ticks + 3);
	wall_clock_end(&clock);
	return time - MAKE_EPOCH;
}

static void all_threads_have_the_same_time_at_the_same_ticks(void **state)
{
	(void)state;
	assert_true(time_after_own_anchor(0) == SECOND + SECOND / 2 + 1);
	assert_true(time_after_own_anchor(300) == SECOND + SECOND / 2 + 1);
}

static void an_anchor_that_tells_another_time_is_believed(void **state)
{
	(void)state;
	assert_true(
		time_after_own_anchor(5000) == SECOND + SECOND / 2 + 5000 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_interpolated_between_anchors),
		cmocka_unit_test(
			a_late_anchor_does_not_change_the_rate_of_hours),
		cmocka_unit_test(
			time_goes_on_at_the_same_rate_after_the_last_anchor),
		cmocka_unit_test(a_clock_that_is_set_jumps_at_the_anchor),
		cmocka_unit_test(
			a_clock_that_is_set_forward_jumps_at_the_anchor),
		cmocka_unit_test(an_absurd_rate_is_not_used),
		cmocka_unit_test(nanoseconds_need_no_rate),
		cmocka_unit_test(
			all_threads_have_the_same_time_at_the_same_ticks),
		cmocka_unit_test(an_anchor_that_tells_another_time_is_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
