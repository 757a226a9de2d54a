#include "tests/unit/world/small_talk.h"

#define SECOND 1000000000u

static void expect(const struct make_capture *capture, const char *text)
{
	small_talk_expect(capture, capture->size, text, 0);
}

static void writers_are_merged_by_their_ticks(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = small_talk_block(&capture, 0, 0, 4096, 10);
	struct make_block b = small_talk_block(&capture, 1, 0, 4096, 15);
	struct make_block c = small_talk_block(&capture, 2, 0, 4096, 12);

	(void)state;
	small_talk_say(&a, 10, 'a');
	small_talk_say(&a, 20, 'd');
	small_talk_say(&a, 30, 'f');
	small_talk_say(&b, 16, 'c');
	small_talk_say(&b, 31, 'g');
	small_talk_say(&c, 13, 'b');
	small_talk_say(&c, 21, 'e');
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
			small_talk_block(&capture, 6 - i, 0, 4096, 10 - i);

		small_talk_say(&block, 20, (char)('a' + 12 - 2 * i));
		small_talk_say(&block, 20, (char)('b' + 12 - 2 * i));
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
	struct make_block a = small_talk_block(&capture, 0, 0, 4096, 100);
	struct make_block b = small_talk_block(&capture, 1, 0, 4096, 60);

	(void)state;
	small_talk_say(&a, 100, 'b');
	make_clock(&a, &back);
	small_talk_say(&a, 55, 'c');
	small_talk_say(&b, 70, 'a');
	small_talk_say(&b, 120, 'd');
	expect(&capture, "abcd");
	make_free(&capture);
}

static void ticks_are_counted_on_from_the_latest_anchor(void **state)
{
	/* Both ends of what the lower half can tell, then the next epoch. */
	const uint64_t base = 0x700000010u;
	const uint64_t end = 0x7fffffff0u;
	const struct binlog_anchor later = make_anchor(end + 0x20);
	struct make_capture capture = make_capture();
	struct make_block a = small_talk_block(&capture, 0, 0, 4096, base);
	struct make_block b = small_talk_block(&capture, 1, 0, 4096, base + 1);

	(void)state;
	small_talk_say(&a, base + 5, 'a');
	small_talk_say(&a, end + 2, 'c');
	small_talk_say(&b, end + 1, 'b');
	make_clock(&a, &later);
	small_talk_say(&a, later.ticks + 2, 'e');
	make_clock(&b, &later);
	small_talk_say(&b, later.ticks + 1, 'd');
	expect(&capture, "abcde");
	make_free(&capture);
}

static void a_writer_goes_on_in_its_next_block(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = small_talk_block(&capture, 0, 0, 4096, 1);
	struct make_block b = small_talk_block(&capture, 1, 0, 4096, 1);

	(void)state;
	small_talk_say(&a, 2, 'a');
	a = small_talk_block(&capture, 0, 1, 4096, 10);
	small_talk_say(&a, 11, 'c');
	small_talk_say(&b, 5, 'b');
	small_talk_say(&b, 20, 'd');
	expect(&capture, "abcd");
	make_free(&capture);
}

/* More than a window of the reader, and one that fills its block. */
static void long_records_and_full_blocks_are_read(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = small_talk_block(&capture, 0, 0, 65536, 1);
	char *text = malloc(50000);
	char *expected = malloc(70000);
	size_t rest;

	(void)state;
	memset(text, 'x', 49999);
	text[49999] = '\0';
	make_message(&a, BYTES, 2);
	make_text(&a, text);
	small_talk_say(&a, 3, 'y');
	rest = a.end - a.at - 12;
	text[rest] = '\0';
	make_message(&a, BYTES, 4);
	make_text(&a, text);
	assert_int_equal(a.at, a.end);
	a = small_talk_block(&capture, 0, 1, 4096, 5);
	small_talk_say(&a, 6, 'z');
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
	struct make_block a = small_talk_block(&capture, 0, 0, 4096, 1);
	struct make_block b = small_talk_block(&capture, 1, 0, 4096, 1);

	(void)state;
	make_message(&a, PIECE, 2);
	make_text(&a, "one ");
	make_message(&a, PIECE, 20);
	make_text(&a, "two ");
	a = small_talk_block(&capture, 0, 1, 4096, 30);
	make_message(&a, BYTES, 40);
	make_text(&a, "three\n");
	small_talk_say(&b, 10, 'b');
	expect(&capture, "one two three\nb");
	make_free(&capture);
}

static void control_records_of_later_versions_are_skipped(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = small_talk_block(&capture, 0, 0, 4096, 1);

	(void)state;
	small_talk_say(&a, 2, 'a');
	make_control(&a, 15, &(struct binlog_control_head){0}, 8, "news", 4);
	small_talk_say(&a, 3, 'b');
	expect(&capture, "ab");
	make_free(&capture);
}

/* Two files; the second one was made `apart` nanoseconds later. */
static void expect_two(
	const char *text, uint64_t ticks, uint64_t apart, bool other_boot)
{
	const char *paths[] = {read_back_path(1), read_back_path(2)};
	struct make_capture first = make_capture();
	struct make_capture second = make_capture();
	struct make_block a = small_talk_block(&first, 0, 0, 4096, 1000);
	struct make_block b = small_talk_block(&second, 0, 0, 4096, ticks);
	struct read_back read;

	make_block_head(&b)->anchor.realtime = MAKE_EPOCH + 1000 + apart;
	if (other_boot)
		make_header(&second)->boot_id[3]++;
	small_talk_say(&a, 1010, 'a');
	small_talk_say(&a, 1030, 'b');
	small_talk_say(&b, ticks + 20, 'x');
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
	struct make_block a = small_talk_block(&capture, 0, 0, 65536, 1);
	struct read_back read;
	size_t said = 0;

	(void)state;
	for (; a.at + 12 < a.end; small_talk_say(&a, 2, 'a'), said++) {
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
		cmocka_unit_test(files_of_one_boot_are_merged_by_ticks),
		cmocka_unit_test(files_of_other_boots_are_merged_by_wall_time),
		cmocka_unit_test(a_file_that_grows_is_readable_at_any_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
