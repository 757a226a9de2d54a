#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decoder/capture/recording_ring.h"
#include "tests/unit/world/make_ring.h"
#include "tests/unit/world/read_back.h"

static void expect(struct make_ring *made, const char *text)
{
	struct read_back read = read_back(&made->capture);

	assert_string_equal(read.text.data, text);
	assert_int_equal(read.errors.count, 0);
	read_back_free(&read);
	make_free(&made->capture);
}

static void places_are_read_in_the_order_of_their_writer(void **state)
{
	struct make_ring made = make_ring(0);

	(void)state;
	make_ring_add(&made, 7, 3000, "ghi", RING_OPEN);
	make_ring_add(&made, 5, 1000, "abc", RING_DONE);
	make_ring_add(&made, 6, 2000, "def", RING_DONE);
	expect(&made, "abcdefghi");
}

static void what_is_before_a_gap_was_overwritten(void **state)
{
	struct make_ring made = make_ring(0);

	(void)state;
	make_ring_add(&made, 3, 1000, "abc", RING_DONE);
	make_ring_add(&made, 5, 2000, "def", RING_DONE);
	make_ring_add(&made, 6, 3000, "ghi", RING_OPEN);
	expect(&made, "defghi");
}

static void sequences_start_anew(void **state)
{
	struct make_ring made = make_ring(0);

	(void)state;
	make_ring_add(&made, 0, 2000, "def", RING_DONE);
	make_ring_add(&made, 1, 3000, "ghi", RING_OPEN);
	make_ring_add(&made, 0x7fffffff, 1000, "abc", RING_DONE);
	expect(&made, "abcdefghi");
}

/* Whatever their numbers were before. */
static void a_lower_number_that_is_later_is_no_clash(void **state)
{
	struct make_ring made = make_ring(0);

	(void)state;
	make_ring_add(&made, 7, 1000, "abc", RING_DONE);
	make_ring_add(&made, 2, 2000, "def", RING_OPEN);
	expect(&made, "def");
}

/* They begin at one tick, and lie in the file in another order. */
static void places_of_one_time_are_in_the_order_of_their_numbers(void **state)
{
	struct make_ring made = make_ring(0);

	(void)state;
	make_ring_add(&made, 7, 1000, "ghi", RING_OPEN);
	make_ring_add(&made, 5, 1000, "abc", RING_DONE);
	make_ring_add(&made, 6, 1000, "def", RING_DONE);
	expect(&made, "abcdefghi");
}

static void a_place_that_is_being_cleared_is_no_damage(void **state)
{
	struct make_ring made = make_ring(0);
	struct binlog_ring_slot *slot;

	(void)state;
	make_ring_add(&made, 5, 1000, "abc", RING_OPEN);
	make_ring_add(&made, 6, 2000, "def", RING_DONE);
	slot = &make_ring_slots(&made)[0];
	/* Its magic is gone, the rest not yet. */
	memset(made.capture.bytes + ring_slot_offset(slot->at), 0, 8);
	expect(&made, "def");
}

static void a_place_that_is_not_in_the_table_yet_is_left_out(void **state)
{
	struct make_ring made = make_ring(0);

	(void)state;
	make_ring_add(&made, 5, 1000, "abc", RING_DONE);
	make_ring_add(&made, 6, 2000, "def", RING_OPEN);
	make_ring_slots(&made)[1].at = 0;
	expect(&made, "abc");
}

static void only_windows_of_a_ring_that_waits_are_shown(void **state)
{
	struct make_ring made = make_ring(BINLOG_RING_WAITS);

	(void)state;
	make_ring_add(&made, 5, 1000, "abcd", RING_DONE);
	make_ring_add(&made, 6, 2000, "efgh", RING_OPEN);
	make_ring_keep(&made, 1002, 1002);
	make_ring_keep(&made, 1003, 2001);
	expect(&made, "cdef");
}

static void what_is_kept_is_shown_behind_any_gap(void **state)
{
	struct make_ring made = make_ring(0);

	(void)state;
	make_ring_add(&made, 1, 1000, "abcd", RING_KEPT);
	make_ring_add(&made, 3, 2000, "efgh", RING_DONE);
	make_ring_add(&made, 8, 3000, "ijkl", RING_OPEN);
	make_ring_keep(&made, 1001, 1002);
	expect(&made, "bcijkl");
}

static void a_ring_that_waits_in_vain_shows_nothing_but_all_of_it(void **state)
{
	struct make_ring made = make_ring(BINLOG_RING_WAITS);
	const char *path = read_back_path(1);
	struct error_list errors = {0};
	struct recording *capture;
	struct merge *merge;
	size_t shown = 0;

	(void)state;
	make_ring_add(&made, 5, 1000, "abcd", RING_DONE);
	make_file(&made.capture, path);
	capture = recording_open(path, true, &errors);
	assert_true(recording_ring_waits(capture));
	merge = merge_new(&capture, 1);
	assert_null(merge_next(merge));
	merge_free(merge);
	capture->ring->all = true;
	assert_false(recording_ring_waits(capture));
	merge = merge_new(&capture, 1);
	while (merge_next(merge))
		shown++;
	assert_int_equal(shown, 4);
	merge_free(merge);
	recording_close(capture);
	unlink(path);
	expect(&made, "");
}

/* Whether what was made waits for something. */
static bool waits(struct make_ring *made)
{
	const char *path = read_back_path(3);
	struct error_list errors = {0};
	struct recording *capture;
	bool waits;

	make_file(&made->capture, path);
	capture = recording_open(path, true, &errors);
	waits = recording_ring_waits(capture);
	recording_close(capture);
	unlink(path);
	make_free(&made->capture);
	return waits;
}

static void a_ring_waits_until_something_has_happened(void **state)
{
	struct make_ring made = {.capture = make_capture()};

	(void)state;
	assert_false(waits(&made));
	made = make_ring(0);
	assert_false(waits(&made));
	made = make_ring(BINLOG_RING_WAITS);
	assert_true(waits(&made));
	made = make_ring(BINLOG_RING_WAITS);
	make_ring_keep(&made, 1000, 1001);
	assert_false(waits(&made));
}

static void how_long_nothing_is_missing_is_known(void **state)
{
	struct make_ring made = make_ring(0);
	const char *path = read_back_path(2);
	struct error_list errors = {0};
	struct recording *capture;

	(void)state;
	make_ring_add(&made, 5, 1000, "abcd", RING_DONE);
	make_ring_head(&made)->lost_until = 400;
	make_file(&made.capture, path);
	capture = recording_open(path, true, &errors);
	assert_int_equal(ring_time_span(capture), 1003 - 400);
	assert_true(ring_time_wall(capture, 77) == MAKE_EPOCH + 77);
	recording_close(capture);
	unlink(path);
	make_free(&made.capture);
}

static void a_block_that_several_places_have_is_there_once(void **state)
{
	struct make_ring made = make_ring(0);
	uint32_t i;

	(void)state;
	make_ring_add(&made, 5, 1000, "abc", RING_DONE);
	make_ring_add(&made, 6, 2000, "def", RING_OPEN);
	for (i = 2; i < MAKE_RING_PLACES; i++)
		make_ring_slots(&made)[i] = make_ring_slots(&made)[0];
	make_ring_head(&made)->used = MAKE_RING_PLACES;
	expect(&made, "abcdef");
}

/* The newer slot has been read first, and lies behind the other one. */
static void places_of_one_block_twice_are_a_copy(void **state)
{
	struct make_ring made = make_ring(0);
	struct read_back read;

	(void)state;
	make_ring_add(&made, 5, 1000, "abc", RING_DONE);
	make_ring_add(&made, 5, 1000, "abc", RING_OPEN);
	read = read_back(&made.capture);
	assert_string_equal(read.text.data, "abc");
	assert_int_equal(read_back_errors(&read, ERROR_BLOCK_TWICE), 1);
	read_back_free(&read);
	make_free(&made.capture);
}

/* Where its table is in a core file nobody knows. */
static void of_a_ring_in_a_core_file_all_is_shown(void **state)
{
	struct make_ring made = make_ring(BINLOG_RING_WAITS);
	struct make_capture core = {0};
	const char *path = read_back_path(4);
	struct error_list errors = {0};
	struct recording *capture;
	struct merge *merge;
	size_t shown = 0;

	(void)state;
	make_ring_add(&made, 5, 1000, "abc", RING_DONE);
	core.size = made.capture.size + BINLOG_PAGE;
	core.bytes = calloc(1, core.size);
	memset(core.bytes, 'x', BINLOG_PAGE);
	memcpy(core.bytes + BINLOG_PAGE, made.capture.bytes, made.capture.size);
	make_file(&core, path);
	capture = recording_open_core(path, BINLOG_PAGE, true, &errors);
	assert_non_null(capture);
	assert_false(recording_ring_waits(capture));
	merge = merge_new(&capture, 1);
	while (merge_next(merge))
		shown++;
	assert_int_equal(shown, 3);
	merge_free(merge);
	recording_close(capture);
	unlink(path);
	make_free(&core);
	make_free(&made.capture);
}

/* Whatever the table says: an answer, and no more than the file has. */
static void any_table_can_be_read(void **state)
{
	(void)state;
	srand(1);
	for (unsigned i = 0; i < 3000; i++) {
		struct make_ring made = make_ring(i & 3);
		struct read_back read;
		uint8_t *bytes[2];

		make_ring_add(&made, 5, 1000, "abcd", RING_DONE);
		make_ring_add(&made, 6, 2000, "efgh", RING_OPEN);
		make_ring_add(&made, 7, 3000, "ijkl", RING_KEPT);
		make_ring_keep(&made, 1001, 1002);
		bytes[0] = (uint8_t *)make_ring_head(&made);
		bytes[1] = (uint8_t *)make_ring_slots(&made);
		for (unsigned j = rand() % 6; j < 7; j++) {
			unsigned which = (unsigned)rand() % 2;
			size_t room =
				which ? 3 * sizeof(struct binlog_ring_slot)
				      : sizeof(struct binlog_ring);

			bytes[which][(size_t)rand() % room] =
				rand() % 3 ? (uint8_t)rand() : 0xff;
		}
		read = read_back(&made.capture);
		read_back_free(&read);
		make_free(&made.capture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_read_in_the_order_of_their_writer),
		cmocka_unit_test(what_is_before_a_gap_was_overwritten),
		cmocka_unit_test(sequences_start_anew),
		cmocka_unit_test(a_lower_number_that_is_later_is_no_clash),
		cmocka_unit_test(
			places_of_one_time_are_in_the_order_of_their_numbers),
		cmocka_unit_test(a_place_that_is_being_cleared_is_no_damage),
		cmocka_unit_test(
			a_place_that_is_not_in_the_table_yet_is_left_out),
		cmocka_unit_test(only_windows_of_a_ring_that_waits_are_shown),
		cmocka_unit_test(what_is_kept_is_shown_behind_any_gap),
		cmocka_unit_test(
			a_ring_that_waits_in_vain_shows_nothing_but_all_of_it),
		cmocka_unit_test(a_ring_waits_until_something_has_happened),
		cmocka_unit_test(how_long_nothing_is_missing_is_known),
		cmocka_unit_test(
			a_block_that_several_places_have_is_there_once),
		cmocka_unit_test(places_of_one_block_twice_are_a_copy),
		cmocka_unit_test(of_a_ring_in_a_core_file_all_is_shown),
		cmocka_unit_test(any_table_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
