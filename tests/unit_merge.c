#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/read_back.h"

#define I32 "\1"
#define STRING "\5"

#define CHARACTER 16u
#define BYTES 17u
#define PIECE 18u
#define LITERAL 19u
#define FLIPS 20000
#define SECOND 1000000000u

/* A block with the contexts above defined. */
static struct make_block add_block(struct make_capture *capture,
	uint32_t writer, uint32_t sequence, uint32_t size, uint64_t ticks)
{
	const struct make_context contexts[] = {
		{.id = CHARACTER, .text = BINLOG_TEXT_CHARACTER, .kinds = I32},
		{.id = BYTES, .text = BINLOG_TEXT_BYTES, .kinds = STRING},
		{.id = PIECE,
			.text = BINLOG_TEXT_BYTES,
			.flags = BINLOG_CONTEXT_PARTIAL,
			.kinds = STRING},
		{.id = LITERAL, .text = BINLOG_TEXT_LITERAL, .format = 1},
	};
	struct make_block block =
		make_block(capture, writer, sequence, size, ticks);
	size_t i;

	if (sequence > 0)
		return block;
	make_string(&block, 1, "L");
	for (i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
		make_context(&block, &contexts[i]);
	return block;
}

static void say(struct make_block *block, uint64_t ticks, char character)
{
	make_message(block, CHARACTER, ticks);
	make_u32(block, (uint32_t)character);
}

static void expect_part(const struct make_capture *capture, size_t size,
	const char *text, size_t errors)
{
	struct read_back read = read_back_part(capture, size);

	assert_string_equal(read.text.data, text);
	assert_int_equal(read.errors.count, errors);
	read_back_free(&read);
}

static void expect(const struct make_capture *capture, const char *text)
{
	expect_part(capture, capture->size, text, 0);
}

static void writers_are_merged_by_their_ticks(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 4096, 10);
	struct make_block b = add_block(&capture, 1, 0, 4096, 15);
	struct make_block c = add_block(&capture, 2, 0, 4096, 12);

	(void)state;
	say(&a, 10, 'a');
	say(&a, 20, 'd');
	say(&a, 30, 'f');
	say(&b, 16, 'c');
	say(&b, 31, 'g');
	say(&c, 13, 'b');
	say(&c, 21, 'e');
	expect(&capture, "abcdefg");
	make_free(&capture);
}

static void equal_ticks_keep_the_order_of_writers_and_of_each_writer(
	void **state)
{
	struct make_capture capture = make_capture();
	char text[15] = "";
	uint32_t i;

	(void)state;
	for (i = 0; i < 7; i++) {
		struct make_block block =
			add_block(&capture, 6 - i, 0, 4096, 10 - i);

		say(&block, 20, (char)('a' + 12 - 2 * i));
		say(&block, 20, (char)('b' + 12 - 2 * i));
	}
	for (i = 0; i < 14; i++)
		text[i] = (char)('a' + i);
	expect(&capture, text);
	make_free(&capture);
}

/* Ticks of one writer may go back (another core, a restored snapshot). */
static void the_order_of_one_writer_always_wins(void **state)
{
	const struct binlog_anchor back = make_anchor(50);
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 4096, 100);
	struct make_block b = add_block(&capture, 1, 0, 4096, 60);

	(void)state;
	say(&a, 100, 'b');
	make_clock(&a, &back);
	say(&a, 55, 'c');
	say(&b, 70, 'a');
	say(&b, 120, 'd');
	expect(&capture, "abcd");
	make_free(&capture);
}

static void ticks_are_counted_on_from_the_latest_anchor(void **state)
{
	const uint64_t base = 0x7fffffff0u;
	const struct binlog_anchor later = make_anchor(base + 0x1c0000000u);
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 4096, base);
	struct make_block b = add_block(&capture, 1, 0, 4096, base + 1);

	(void)state;
	say(&a, base + 5, 'a');
	say(&a, base + 0x30, 'c'); /* the lower half begins anew */
	say(&b, base + 0x20, 'b');
	make_clock(&a, &later);
	say(&a, later.ticks + 2, 'e');
	make_clock(&b, &later);
	say(&b, later.ticks + 1, 'd');
	expect(&capture, "abcde");
	make_free(&capture);
}

static void a_writer_goes_on_in_its_next_block(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 4096, 1);
	struct make_block b = add_block(&capture, 1, 0, 4096, 1);

	(void)state;
	say(&a, 2, 'a');
	a = add_block(&capture, 0, 1, 4096, 10);
	say(&a, 11, 'c');
	say(&b, 5, 'b');
	say(&b, 20, 'd');
	expect(&capture, "abcd");
	make_free(&capture);
}

/* More than a window of the reader, and one that fills its block. */
static void long_records_and_full_blocks_are_read(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 65536, 1);
	char *text = malloc(50000);
	char *expected = malloc(70000);
	size_t rest;

	(void)state;
	memset(text, 'x', 49999);
	text[49999] = '\0';
	make_message(&a, BYTES, 2);
	make_text(&a, text);
	say(&a, 3, 'y');
	rest = a.end - a.at - 12;
	text[rest] = '\0';
	make_message(&a, BYTES, 4);
	make_text(&a, text);
	assert_int_equal(a.at, a.end);
	a = add_block(&capture, 0, 1, 4096, 5);
	say(&a, 6, 'z');
	memset(expected, 'x', 70000);
	expected[49999] = 'y';
	expected[50000 + rest] = 'z';
	expected[50001 + rest] = '\0';
	expect(&capture, expected);
	free(text);
	free(expected);
	make_free(&capture);
}

static void the_pieces_of_one_call_stay_together(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 4096, 1);
	struct make_block b = add_block(&capture, 1, 0, 4096, 1);

	(void)state;
	make_message(&a, PIECE, 2);
	make_text(&a, "one ");
	make_message(&a, PIECE, 20);
	make_text(&a, "two ");
	a = add_block(&capture, 0, 1, 4096, 30);
	make_message(&a, BYTES, 40);
	make_text(&a, "three\n");
	say(&b, 10, 'b');
	expect(&capture, "one two three\nb");
	make_free(&capture);
}

static void control_records_of_later_versions_are_skipped(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 4096, 1);

	(void)state;
	say(&a, 2, 'a');
	make_control(&a, 15, &(struct binlog_control_head){0}, 8, "news", 4);
	say(&a, 3, 'b');
	expect(&capture, "ab");
	make_free(&capture);
}

static void an_unknown_context_costs_the_rest_of_its_block(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 4096, 1);
	struct read_back read;

	(void)state;
	say(&a, 2, 'a');
	make_message(&a, 77, 3);
	say(&a, 4, 'b');
	a = add_block(&capture, 0, 1, 4096, 10);
	say(&a, 11, 'c');
	read = read_back(&capture);
	assert_string_equal(read.text.data, "ac");
	assert_int_equal(read.errors.count, 1);
	assert_int_equal(read.errors.kept[0].code, ERROR_CONTEXT);
	assert_int_equal(read.errors.kept[0].number, 77);
	read_back_free(&read);
	make_free(&capture);
}

static void an_argument_of_an_unknown_kind_costs_the_rest(void **state)
{
	const struct make_context contexts[] = {
		{.id = 30, .text = BINLOG_TEXT_FORMAT, .kinds = I32 "\x63"},
		{.id = 30,
			.text = BINLOG_TEXT_FORMAT,
			.kinds = I32 "\0",
			.kind_count = 2},
	};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct make_capture capture = make_capture();
		struct make_block a = add_block(&capture, 0, 0, 4096, 1);

		make_context(&a, &contexts[i]);
		say(&a, 2, 'a');
		make_message(&a, 30, 3);
		expect_part(&capture, capture.size, "a", 1);
		make_free(&capture);
	}
}

static void more_arguments_than_any_call_has_cost_the_rest(void **state)
{
	char kinds[401];
	const struct make_context context = {
		.id = 30, .text = BINLOG_TEXT_FORMAT, .kinds = kinds};
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 8192, 1);

	(void)state;
	memset(kinds, *I32, 400);
	kinds[400] = '\0';
	make_context(&a, &context);
	say(&a, 2, 'a');
	make_message(&a, 30, 3);
	expect_part(&capture, capture.size, "a", 1);
	make_free(&capture);
}

/* What follows in the next block is another call. */
static void pieces_do_not_go_on_across_damage(void **state)
{
	const char *path = read_back_path(1);
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 4096, 1);
	struct error_list errors = {0};
	struct capture *read;
	struct merge *merge;
	const struct message *message;

	(void)state;
	make_message(&a, PIECE, 2);
	make_text(&a, "cut");
	make_message(&a, 77, 3);
	a = add_block(&capture, 0, 1, 4096, 4);
	make_message(&a, PIECE, 5);
	make_text(&a, "gap");
	a = add_block(&capture, 0, 3, 4096, 6);
	say(&a, 7, 'a');
	make_file(&capture, path);
	read = capture_open(path, true, &errors);
	merge = merge_new(&read, 1);
	while ((message = merge_next(merge)))
		assert_false(message->continues);
	assert_int_equal(errors.count, 2);
	merge_free(merge);
	capture_close(read);
	unlink(path);
	make_free(&capture);
}

/* Even right behind a record, and without help of the header. */
static void a_cut_behind_a_record_is_noticed(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 4096, 1);
	struct read_back read;

	(void)state;
	say(&a, 2, 'a');
	make_header(&capture)->next = 0;
	read = read_back_part(&capture, a.at);
	assert_string_equal(read.text.data, "a");
	assert_int_equal(read.errors.count, 1);
	assert_int_equal(read.errors.kept[0].code, ERROR_BLOCK_CUT);
	read_back_free(&read);
	make_free(&capture);
}

static void lengths_that_lie_cost_the_rest_of_the_block(void **state)
{
	const uint32_t lengths[] = {5000, 0x7fffffff, 0x7ffffffe, 4096 - 88};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct make_capture capture = make_capture();
		struct make_block a = add_block(&capture, 0, 0, 4096, 1);

		say(&a, 2, 'a');
		make_message(&a, BYTES, 3);
		make_u32(&a, lengths[i]);
		expect_part(&capture, capture.size, "a", 1);
		make_free(&capture);
	}
}

static void sizes_of_control_records_that_lie_do_no_harm(void **state)
{
	const uint32_t sizes[] = {0, 4, 7, 9, 10, 8192, 0xfffffffc, 0xffffffff};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct make_capture capture = make_capture();
		struct make_block a = add_block(&capture, 0, 0, 4096, 1);

		say(&a, 2, 'a');
		make_u32(&a, BINLOG_STRING);
		make_u32(&a, sizes[i]);
		say(&a, 3, 'b');
		expect_part(&capture, capture.size, "a", 1);
		make_free(&capture);
	}
}

/* A page of a block that never reached the disk, as after a power cut. */
static void a_page_of_zeros_inside_a_block_is_noticed(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 16384, 1);
	struct read_back read;

	(void)state;
	while (a.at + 12 <= a.end)
		say(&a, 2, 'a');
	memset(capture.bytes + a.start + BINLOG_PAGE, 0, BINLOG_PAGE);
	read = read_back(&capture);
	assert_true(read.messages > 200);
	assert_int_equal(read.errors.count, 1);
	assert_int_equal(read.errors.kept[0].code, ERROR_PAGE_GONE);
	read_back_free(&read);
	make_free(&capture);
}

/* What SIGKILL leaves: arguments without the first word. */
static void an_unfinished_record_is_neither_shown_nor_damage(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 16384, 1);

	(void)state;
	say(&a, 2, 'a');
	make_message(&a, 0, 3);
	make_u32(&a, 3000);
	memset(capture.bytes + a.at, 'x', 3000);
	expect(&capture, "a");
	make_free(&capture);
}

/* Definitions, messages of all sorts, two writers, three blocks. */
static struct make_capture make_mixed(size_t *ends, size_t *count)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 1024, 1);
	struct make_block b;
	size_t i;

	*count = 0;
	make_process(&a, MAKE_PID, "/bin/mixed");
	make_thread(&a, 7, "seven");
	make_module(&a, 0x1000, 0x2000, 0, "/bin/mixed");
	for (i = 0; i < 5; i++) {
		say(&a, 10 + i, 'a');
		ends[(*count)++] = a.at;
		make_message(&a, BYTES, 10 + i);
		make_text(&a, "some text");
		ends[(*count)++] = a.at;
		make_message(&a, LITERAL, 10 + i);
		ends[(*count)++] = a.at;
	}
	b = add_block(&capture, 1, 0, 1024, 3);
	for (i = 0; i < 3; i++) {
		say(&b, 10 + i, 'b');
		ends[(*count)++] = b.at;
	}
	a = add_block(&capture, 0, 1, 1024, 30);
	say(&a, 31, 'c');
	ends[(*count)++] = a.at;
	return capture;
}

/*
 * That blocks are gone is seen from the header's `next`; since a running
 * program may be just growing the file, the reader waits a little before it
 * says so, hence not here for each size.
 */
static void cut_anywhere_every_whole_record_before_the_cut_is_read(void **state)
{
	size_t ends[64], count, size;
	struct make_capture capture = make_mixed(ends, &count);
	uint64_t next = make_header(&capture)->next;

	(void)state;
	for (size = 0; size <= capture.size; size++) {
		bool tell = size == capture.size || size % 499 == 0;
		struct read_back read;
		size_t whole = 0;
		size_t i;

		make_header(&capture)->next = tell ? next : 0;
		read = read_back_part(&capture, size);
		for (i = 0; i < count; i++)
			whole += ends[i] <= size;
		assert_int_equal(read.messages, whole);
		if (tell)
			assert_true((read.errors.count > 0) ==
				    (size < capture.size));
		read_back_free(&read);
	}
	make_free(&capture);
}

static uint64_t random_word(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

static void flipped_bits_never_crash_the_reader(void **state)
{
	size_t ends[64], count, i;
	struct make_capture capture = make_mixed(ends, &count);
	uint8_t *whole = malloc(capture.size);
	uint64_t seed = 1;

	(void)state;
	memcpy(whole, capture.bytes, capture.size);
	for (i = 0; i < FLIPS; i++) {
		size_t flips = 1 + random_word(&seed) % 8;
		struct read_back read;

		memcpy(capture.bytes, whole, capture.size);
		while (flips-- > 0)
			capture.bytes[random_word(&seed) % capture.size] ^=
				(uint8_t)(1u << random_word(&seed) % 8);
		/* The wait for a program that grows its file is not wanted. */
		make_header(&capture)->next = capture.size;
		read = read_back(&capture);
		assert_true(read.messages <= capture.size / 8);
		read_back_free(&read);
	}
	free(whole);
	make_free(&capture);
}

/* Two files; the second one was made `apart` nanoseconds later. */
static void expect_two(
	const char *text, uint64_t ticks, uint64_t apart, bool other_boot)
{
	const char *paths[] = {read_back_path(1), read_back_path(2)};
	struct make_capture first = make_capture();
	struct make_capture second = make_capture();
	struct make_block a = add_block(&first, 0, 0, 4096, 1000);
	struct make_block b = add_block(&second, 0, 0, 4096, ticks);
	struct read_back read;

	make_block_head(&b)->anchor.realtime = MAKE_EPOCH + 1000 + apart;
	if (other_boot)
		make_header(&second)->boot_id[3]++;
	say(&a, 1010, 'a');
	say(&a, 1030, 'b');
	say(&b, ticks + 20, 'x');
	make_file(&first, paths[0]);
	make_file(&second, paths[1]);
	read = read_back_files(paths, 2);
	assert_string_equal(read.text.data, text);
	read_back_free(&read);
	unlink(paths[0]);
	unlink(paths[1]);
	make_free(&first);
	make_free(&second);
}

static void files_of_one_boot_are_merged_by_ticks(void **state)
{
	(void)state;
	expect_two("axb", 1000, 0, false);
	expect_two("axb", 1000, SECOND, false); /* the wall clock was set */
	expect_two("abx", 1011, 0, false);
}

static void files_of_other_boots_are_merged_by_wall_time(void **state)
{
	(void)state;
	expect_two("axb", 5000, 0, true);
	expect_two("abx", 500, SECOND, true);
}

static void a_file_that_grows_is_readable_at_any_moment(void **state)
{
	const char *path = read_back_path(3);
	struct make_capture capture = make_capture();
	struct make_block a = add_block(&capture, 0, 0, 65536, 1);
	struct read_back read;
	size_t said = 0;

	(void)state;
	for (; a.at + 12 < a.end; say(&a, 2, 'a'), said++) {
		if (said % 100 != 0)
			continue;
		make_file(&capture, path);
		read = read_back_files(&path, 1);
		assert_int_equal(read.messages, said);
		assert_int_equal(read.errors.count, 0);
		read_back_free(&read);
	}
	unlink(path);
	make_free(&capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writers_are_merged_by_their_ticks),
		cmocka_unit_test(
			equal_ticks_keep_the_order_of_writers_and_of_each_writer),
		cmocka_unit_test(the_order_of_one_writer_always_wins),
		cmocka_unit_test(ticks_are_counted_on_from_the_latest_anchor),
		cmocka_unit_test(a_writer_goes_on_in_its_next_block),
		cmocka_unit_test(long_records_and_full_blocks_are_read),
		cmocka_unit_test(the_pieces_of_one_call_stay_together),
		cmocka_unit_test(control_records_of_later_versions_are_skipped),
		cmocka_unit_test(
			an_unknown_context_costs_the_rest_of_its_block),
		cmocka_unit_test(an_argument_of_an_unknown_kind_costs_the_rest),
		cmocka_unit_test(
			more_arguments_than_any_call_has_cost_the_rest),
		cmocka_unit_test(pieces_do_not_go_on_across_damage),
		cmocka_unit_test(a_cut_behind_a_record_is_noticed),
		cmocka_unit_test(lengths_that_lie_cost_the_rest_of_the_block),
		cmocka_unit_test(sizes_of_control_records_that_lie_do_no_harm),
		cmocka_unit_test(a_page_of_zeros_inside_a_block_is_noticed),
		cmocka_unit_test(
			an_unfinished_record_is_neither_shown_nor_damage),
		cmocka_unit_test(
			cut_anywhere_every_whole_record_before_the_cut_is_read),
		cmocka_unit_test(flipped_bits_never_crash_the_reader),
		cmocka_unit_test(files_of_one_boot_are_merged_by_ticks),
		cmocka_unit_test(files_of_other_boots_are_merged_by_wall_time),
		cmocka_unit_test(a_file_that_grows_is_readable_at_any_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
