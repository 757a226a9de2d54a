#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decoder/recording_ring.h"
#include "decoder/ring_time.h"
#include "tests/read_back.h"

#define PLACES 16u
#define TABLE_BYTES 65536u
#define CONTEXT 16u

/* A capture with a ring, and what was said in it: letters. */
struct made {
	struct make_capture capture;
	size_t table; /* offset of its block */
};

static struct binlog_ring *ring_in(struct made *made)
{
	return ring_of(make_header(&made->capture));
}

static struct binlog_ring_window *windows_in(struct made *made)
{
	return (void *)(made->capture.bytes + ring_in(made)->table);
}

static struct binlog_ring_place *places_in(struct made *made)
{
	return (void *)(windows_in(made) + BINLOG_RING_WINDOWS);
}

/* Every letter is a context, defined at a time that may be later. */
static void define(struct made *made, uint32_t writer, uint64_t ticks)
{
	struct make_block block =
		make_block(&made->capture, writer, 0, 4096, ticks);

	for (uint32_t i = 0; i < 26; i++) {
		const char text[] = {(char)('a' + i), '\0'};
		const struct make_context context = {.id = CONTEXT + i,
			.text = BINLOG_TEXT_LITERAL,
			.format = i + 1};

		make_string(&block, i + 1, text);
		make_context(&block, &context);
	}
}

static struct made make_ring(uint32_t waits)
{
	struct made made = {.capture = make_capture()};
	struct make_block table =
		make_block(&made.capture, 99, 0, TABLE_BYTES, 1);
	const struct binlog_control_head head = {
		BINLOG_RING, TABLE_BYTES - sizeof(struct binlog_block) - 4};

	made.table = table.start;
	make_bytes(&table, &head, sizeof(head));
	*ring_in(&made) = (struct binlog_ring){
		.bytes = 1 << 20,
		.table = table.at,
		.places = PLACES,
		.waits = waits,
		.overwritten = 1,
	};
	define(&made, 0, 5000);
	return made;
}

/* A place with the next letters of the alphabet, a tick each from `ticks` on.
 */
static void add(struct made *made, uint32_t sequence, uint64_t ticks,
	const char *letters, enum ring_state state)
{
	uint32_t index = ring_in(made)->used++;
	uint64_t from = ticks;
	struct make_block block = make_block(
		&made->capture, 0, sequence | BINLOG_RING_DATA, 4096, ticks);

	make_thread(&block, MAKE_PID, "talker");
	for (; *letters; letters++)
		make_message(
			&block, CONTEXT + (uint32_t)(*letters - 'a'), ticks++);
	places_in(made)[index] = (struct binlog_ring_place){
		.at = block.start | 1,
		.state = (uint64_t)(ticks) << RING_COUNT_SHIFT | state,
		.from = from,
		.until = ticks - 1,
	};
}

static void keep(struct made *made, uint64_t from, uint64_t until)
{
	windows_in(made)[ring_in(made)->windows++] =
		(struct binlog_ring_window){.from = from,
			.until = until,
			.at = until,
			.cause = BINLOG_CAUSE_RULE};
}

static void expect(struct made *made, const char *text)
{
	struct read_back read = read_back(&made->capture);

	assert_string_equal(read.text.data, text);
	assert_int_equal(read.errors.count, 0);
	read_back_free(&read);
	make_free(&made->capture);
}

static void places_are_read_in_the_order_of_their_writer(void **state)
{
	struct made made = make_ring(0);

	(void)state;
	add(&made, 7, 3000, "ghi", RING_OPEN);
	add(&made, 5, 1000, "abc", RING_DONE);
	add(&made, 6, 2000, "def", RING_DONE);
	expect(&made, "abcdefghi");
}

static void what_is_before_a_gap_was_overwritten(void **state)
{
	struct made made = make_ring(0);

	(void)state;
	add(&made, 3, 1000, "abc", RING_DONE);
	add(&made, 5, 2000, "def", RING_DONE);
	add(&made, 6, 3000, "ghi", RING_OPEN);
	expect(&made, "defghi");
}

static void sequences_start_anew(void **state)
{
	struct made made = make_ring(0);

	(void)state;
	add(&made, 0, 2000, "def", RING_DONE);
	add(&made, 1, 3000, "ghi", RING_OPEN);
	add(&made, 0x7fffffff, 1000, "abc", RING_DONE);
	expect(&made, "abcdefghi");
}

static void a_place_that_is_being_cleared_is_no_damage(void **state)
{
	struct made made = make_ring(0);
	struct binlog_ring_place *place;

	(void)state;
	add(&made, 5, 1000, "abc", RING_OPEN);
	add(&made, 6, 2000, "def", RING_DONE);
	place = &places_in(&made)[0];
	/* Its magic is gone, the rest not yet. */
	memset(made.capture.bytes + ring_place_offset(place->at), 0, 8);
	expect(&made, "def");
}

static void a_place_that_is_not_in_the_table_yet_is_left_out(void **state)
{
	struct made made = make_ring(0);

	(void)state;
	add(&made, 5, 1000, "abc", RING_DONE);
	add(&made, 6, 2000, "def", RING_OPEN);
	places_in(&made)[1].at = 0;
	expect(&made, "abc");
}

static void only_windows_of_a_ring_that_waits_are_shown(void **state)
{
	struct made made = make_ring(BINLOG_RING_WAITS);

	(void)state;
	add(&made, 5, 1000, "abcd", RING_DONE);
	add(&made, 6, 2000, "efgh", RING_OPEN);
	keep(&made, 1002, 1002);
	keep(&made, 1003, 2001);
	expect(&made, "cdef");
}

static void what_is_kept_is_shown_behind_any_gap(void **state)
{
	struct made made = make_ring(0);

	(void)state;
	add(&made, 1, 1000, "abcd", RING_KEPT);
	add(&made, 3, 2000, "efgh", RING_DONE);
	add(&made, 8, 3000, "ijkl", RING_OPEN);
	keep(&made, 1001, 1002);
	expect(&made, "bcijkl");
}

static void a_ring_that_waits_in_vain_shows_nothing_but_all_of_it(void **state)
{
	struct made made = make_ring(BINLOG_RING_WAITS);
	const char *path = read_back_path(1);
	struct error_list errors = {0};
	struct recording *capture;
	struct merge *merge;
	size_t shown = 0;

	(void)state;
	add(&made, 5, 1000, "abcd", RING_DONE);
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

static void how_long_nothing_is_missing_is_known(void **state)
{
	struct made made = make_ring(0);
	const char *path = read_back_path(2);
	struct error_list errors = {0};
	struct recording *capture;

	(void)state;
	add(&made, 5, 1000, "abcd", RING_DONE);
	ring_in(&made)->lost_until = 400;
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
	struct made made = make_ring(0);
	uint32_t i;

	(void)state;
	add(&made, 5, 1000, "abc", RING_DONE);
	add(&made, 6, 2000, "def", RING_OPEN);
	for (i = 2; i < PLACES; i++)
		places_in(&made)[i] = places_in(&made)[0];
	ring_in(&made)->used = PLACES;
	expect(&made, "abcdef");
}

/* Whatever the table says: an answer, and no more than the file has. */
static void any_table_can_be_read(void **state)
{
	(void)state;
	srand(1);
	for (unsigned i = 0; i < 3000; i++) {
		struct made made = make_ring(i & 3);
		struct read_back read;
		uint8_t *bytes[2];

		add(&made, 5, 1000, "abcd", RING_DONE);
		add(&made, 6, 2000, "efgh", RING_OPEN);
		add(&made, 7, 3000, "ijkl", RING_KEPT);
		keep(&made, 1001, 1002);
		bytes[0] = (uint8_t *)ring_in(&made);
		bytes[1] = (uint8_t *)places_in(&made);
		for (unsigned j = rand() % 6; j < 7; j++) {
			unsigned which = (unsigned)rand() % 2;
			size_t room =
				which ? 3 * sizeof(struct binlog_ring_place)
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
		cmocka_unit_test(a_place_that_is_being_cleared_is_no_damage),
		cmocka_unit_test(
			a_place_that_is_not_in_the_table_yet_is_left_out),
		cmocka_unit_test(only_windows_of_a_ring_that_waits_are_shown),
		cmocka_unit_test(what_is_kept_is_shown_behind_any_gap),
		cmocka_unit_test(
			a_ring_that_waits_in_vain_shows_nothing_but_all_of_it),
		cmocka_unit_test(how_long_nothing_is_missing_is_known),
		cmocka_unit_test(
			a_block_that_several_places_have_is_there_once),
		cmocka_unit_test(any_table_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
