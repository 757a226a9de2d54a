/*
 * A ring is read while its process writes: what is shown is what was there at
 * one moment, and nothing of a block that was overwritten meanwhile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decoder/capture/recording_ring.h"
#include "tests/unit/world/inject_faults.h"
#include "tests/unit/world/make_ring.h"
#include "tests/unit/world/read_back.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define MESSAGE_BYTES 8u

/* What is written into the file before its `which`-th read from `at` on. */
static struct {
	int fd; /* open for writing, so that the capture may grow */
	uint64_t at;
	unsigned which;
	uint64_t to;
	const void *bytes;
	size_t size;
	unsigned reads; /* from there so far */
} change;

static void change_file(off_t offset)
{
	if ((uint64_t)offset != change.at || ++change.reads != change.which)
		return;
	assert_int_equal(
		pwrite(change.fd, change.bytes, change.size, (off_t)change.to),
		change.size);
}

static struct make_ring make_talk(void)
{
	struct make_ring made = make_ring(0);

	make_ring_add(&made, 5, 1000, "abc", RING_DONE);
	make_ring_add(&made, 6, 2000, "def", RING_DONE);
	make_ring_add(&made, 7, 3000, "ghi", RING_OPEN);
	return made;
}

static uint64_t offset_in(const struct make_ring *made, const void *at)
{
	return (uint64_t)((const uint8_t *)at - made->capture.bytes);
}

static uint64_t offset_of_slot(struct make_ring *made, unsigned index)
{
	return offset_in(made, &make_ring_slots(made)[index]);
}

static uint64_t offset_of_block(struct make_ring *made, unsigned index)
{
	return ring_slot_offset(make_ring_slots(made)[index].at);
}

/* The first letter of a block is its second record. */
static uint64_t offset_of_letter(
	struct make_ring *made, unsigned index, unsigned letter)
{
	return offset_of_block(made, index) + sizeof(struct binlog_block) +
	       sizeof(struct binlog_thread_record) + letter * MESSAGE_BYTES;
}

static void expect(struct make_ring *made, const char *text)
{
	const char *path = read_back_path(0);
	struct read_back read;

	make_file(&made->capture, path);
	change.fd = open(path, O_RDWR | O_CLOEXEC);
	change.reads = 0;
	inject.before_read = change_file;
	read = read_back_files(&path, 1);
	inject.before_read = NULL;
	assert_string_equal(read.text.data, text);
	assert_int_equal(read.errors.count, 0);
	read_back_free(&read);
	close(change.fd);
	unlink(path);
	make_free(&made->capture);
}

static void set_change(uint64_t at, unsigned which, uint64_t to,
	const void *bytes, size_t size)
{
	change.at = at;
	change.which = which;
	change.to = to;
	change.bytes = bytes;
	change.size = size;
}

static void what_stays_is_shown_as_a_whole(void **state)
{
	struct make_ring made = make_talk();

	(void)state;
	set_change(0, 0, 0, NULL, 0);
	expect(&made, "abcdefghi");
}

/* The table is read twice, and once more of each slot when its block is. */
static void a_place_that_is_taken_meanwhile_is_left_out(void **state)
{
	const uint64_t later = 4000;
	const uint64_t open = (uint64_t)4000 << RING_COUNT_SHIFT | RING_OPEN;
	const uint64_t elsewhere = 0;
	const struct {
		unsigned index;
		unsigned which;
		size_t field;
		const uint64_t *value;
		const char *text;
	} cases[] = {
		{0, 3, offsetof(struct binlog_ring_slot, from), &later,
			"defghi"},
		{0, 3, offsetof(struct binlog_ring_slot, state), &open,
			"defghi"},
		{1, 1, offsetof(struct binlog_ring_slot, at), &elsewhere,
			"ghi"},
		{2, 1, offsetof(struct binlog_ring_slot, state), &open,
			"abcdefghi"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		struct make_ring made = make_talk();
		uint64_t slot = offset_of_slot(&made, cases[i].index);

		set_change(slot, cases[i].which, slot + cases[i].field,
			cases[i].value, sizeof(uint64_t));
		expect(&made, cases[i].text);
	}
}

static void what_begins_after_the_first_look_is_left_out(void **state)
{
	struct make_ring made = make_talk();
	const uint64_t later = 9000;

	(void)state;
	set_change(offset_of_slot(&made, 0), 2,
		offset_of_slot(&made, 2) +
			offsetof(struct binlog_ring_slot, from),
		&later, sizeof(later));
	expect(&made, "abcdef");
}

/* It is looked for, then read, and again while it is written. */
static void of_a_block_being_written_what_was_there_is_shown(void **state)
{
	const uint32_t more[] = {MAKE_RING_CONTEXT + 9, 3003};
	const uint32_t less[] = {0, 0};
	struct make_ring made = make_talk();

	(void)state;
	set_change(offset_of_block(&made, 2), 3, offset_of_letter(&made, 2, 3),
		more, sizeof(more));
	expect(&made, "abcdefghi");
	made = make_talk();
	set_change(offset_of_block(&made, 2), 3, offset_of_letter(&made, 2, 1),
		less, sizeof(less));
	expect(&made, "abcdefg");
}

static void a_block_that_is_another_captures_is_left_out(void **state)
{
	struct make_ring made = make_talk();
	const uint64_t nonce = MAKE_NONCE + 1;

	(void)state;
	set_change(offset_of_block(&made, 0), 2,
		offset_of_block(&made, 0) +
			offsetof(struct binlog_block, nonce),
		&nonce, sizeof(nonce));
	expect(&made, "defghi");
}

static void where_most_is_overwritten_it_is_tried_again_some_times(void **state)
{
	struct make_ring made = make_talk();
	unsigned i;

	(void)state;
	make_ring_add(&made, 8, 4000, "jkl", RING_DONE);
	for (i = 0; i < 3; i++)
		memset(made.capture.bytes + offset_of_block(&made, i), 0, 8);
	set_change(offset_of_slot(&made, 0), 0, 0, NULL, 0);
	expect(&made, "jkl");
	assert_int_equal(change.reads, 2 * 5);
}

/* The header is read at first, and when all has been looked at. */
static void a_ring_whose_file_grows_is_whole(void **state)
{
	struct make_ring made = make_talk();
	const uint64_t next = made.capture.size + BINLOG_PAGE;

	(void)state;
	set_change(0, 2, offsetof(struct binlog_header, next), &next,
		sizeof(next));
	expect(&made, "abcdefghi");
	assert_true(change.reads >= 2);
}

static void reads_end_where_a_block_does(void **state)
{
	struct make_ring made = make_talk();
	const char *path = read_back_path(1);
	uint64_t block = offset_of_block(&made, 2);
	struct error_list errors = {0};
	struct recording *capture;
	uint8_t bytes[BINLOG_PAGE];

	(void)state;
	make_file(&made.capture, path);
	change.fd = open(path, O_RDWR | O_CLOEXEC);
	capture = recording_open(path, true, &errors);
	assert_int_equal(recording_ring_read(capture->ring, block + 4000, bytes,
				 sizeof(bytes)),
		96);
	assert_int_equal(
		recording_ring_read(capture->ring, block, bytes, 8), 8);
	assert_memory_equal(bytes, made.capture.bytes + block, 8);
	assert_int_equal(recording_ring_read(capture->ring, block + BINLOG_PAGE,
				 bytes, sizeof(bytes)),
		0);
	assert_int_equal(recording_ring_read(capture->ring, 0, bytes, 8), 0);
	assert_int_equal(recording_ring_read(NULL, block, bytes, 8), 0);
	recording_close(capture);
	close(change.fd);
	unlink(path);
	make_free(&made.capture);
}

/* Whether a block was copied, as it has to be while it may change. */
static bool is_copied(struct make_ring *made, enum inject_kind kind)
{
	const char *path = read_back_path(3);
	struct error_list errors = {0};
	struct recording *capture;
	uint8_t bytes[8];
	size_t n;

	make_file(&made->capture, path);
	inject_begin(kind, 0, true);
	capture = recording_open(path, true, &errors);
	inject_end();
	assert_non_null(capture);
	n = recording_ring_read(
		capture->ring, offset_of_block(made, 0), bytes, sizeof(bytes));
	recording_close(capture);
	unlink(path);
	return n > 0;
}

static void where_nobody_knows_who_writes_blocks_are_copied(void **state)
{
	struct make_ring made = make_talk();

	(void)state;
	assert_false(is_copied(&made, INJECT_NOTHING));
	assert_true(is_copied(&made, INJECT_LEASE));
	make_free(&made.capture);
}

/* Which is not known before nobody writes to it any more. */
static void a_ring_that_waits_for_its_end_shows_all_then(void **state)
{
	struct make_ring made = make_ring(BINLOG_RING_WAITS | BINLOG_RING_KILL);
	struct read_back read;

	(void)state;
	make_ring_add(&made, 5, 1000, "abc", RING_OPEN);
	read = read_back(&made.capture);
	assert_string_equal(read.text.data, "abc");
	read_back_free(&read);
	set_change(0, 0, 0, NULL, 0);
	expect(&made, "");
}

/* More blocks than there is room for before its own are added. */
static void without_memory_for_its_blocks_it_is_not_read(void **state)
{
	struct make_ring made = make_talk();
	const char *path = read_back_path(4);
	struct error_list errors;
	struct recording *capture;
	unsigned long k = 0;
	uint32_t writer;

	(void)state;
	for (writer = 1; writer <= 62; writer++)
		make_block(&made.capture, writer, 0, 4096, 1);
	make_file(&made.capture, path);
	do {
		errors = (struct error_list){0};
		inject_begin(INJECT_MEMORY, k++, false);
		capture = recording_open(path, true, &errors);
		inject_end();
		assert_true(!capture == (errors.count > 0));
		if (capture)
			assert_int_equal(capture->block_count, 2 + 62 + 3);
		recording_close(capture);
	} while (inject.happened);
	assert_non_null(capture);
	unlink(path);
	make_free(&made.capture);
}

static void a_ring_is_not_followed(void **state)
{
	struct make_ring made = make_talk();
	const char *path = read_back_path(2);
	struct error_list errors = {0};

	(void)state;
	assert_null(recording_open_live(path, &errors));
	assert_int_equal(errors.kept[0].code, ERROR_OPEN);
	make_file(&made.capture, path);
	assert_null(recording_open_live(path, &errors));
	assert_int_equal(errors.kept[1].code, ERROR_RING_FOLLOWED);
	unlink(path);
	make_free(&made.capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_stays_is_shown_as_a_whole),
		cmocka_unit_test(a_place_that_is_taken_meanwhile_is_left_out),
		cmocka_unit_test(what_begins_after_the_first_look_is_left_out),
		cmocka_unit_test(
			of_a_block_being_written_what_was_there_is_shown),
		cmocka_unit_test(a_block_that_is_another_captures_is_left_out),
		cmocka_unit_test(
			where_most_is_overwritten_it_is_tried_again_some_times),
		cmocka_unit_test(a_ring_whose_file_grows_is_whole),
		cmocka_unit_test(reads_end_where_a_block_does),
		cmocka_unit_test(
			where_nobody_knows_who_writes_blocks_are_copied),
		cmocka_unit_test(a_ring_that_waits_for_its_end_shows_all_then),
		cmocka_unit_test(without_memory_for_its_blocks_it_is_not_read),
		cmocka_unit_test(a_ring_is_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
