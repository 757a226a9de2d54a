#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/world/inject_faults.h"
#include "tests/unit/world/read_back.h"

#define CONTEXT 16u

/* A block with a definition and one message, its own number as text. */
static struct make_block add_block(struct make_capture *capture,
	uint32_t writer, uint32_t sequence, char letter)
{
	const char text[] = {letter, '\0'};
	const struct make_context context = {
		.id = CONTEXT, .text = BINLOG_TEXT_LITERAL, .format = 1};
	uint64_t ticks = capture->size;
	struct make_block block =
		make_block(capture, writer, sequence, 4096, ticks);

	make_string(&block, 1, text);
	make_context(&block, &context);
	make_message(&block, CONTEXT, ticks + 1);
	return block;
}

/* Three blocks "abc" of one writer. */
static struct make_capture abc(void)
{
	struct make_capture capture = make_capture();

	add_block(&capture, 0, 0, 'a');
	add_block(&capture, 0, 1, 'b');
	add_block(&capture, 0, 2, 'c');
	return capture;
}

static void expect(const struct make_capture *capture, const char *text,
	enum error_code code, size_t errors)
{
	struct read_back read = read_back(capture);

	assert_string_equal(read.text.data, text);
	assert_int_equal(read.errors.count, errors);
	if (errors > 0)
		assert_true(read_back_errors(&read, code) > 0);
	read_back_free(&read);
}

static void every_block_is_read_in_the_order_of_its_writer(void **state)
{
	struct make_capture capture = abc();

	(void)state;
	expect(&capture, "abc", ERROR_NONE, 0);
	make_free(&capture);
	capture = make_capture();
	add_block(&capture, 0, 1, 'b');
	add_block(&capture, 0, 0, 'a');
	expect(&capture, "ab", ERROR_NONE, 0);
	make_free(&capture);
}

static void a_capture_without_blocks_is_empty_and_whole(void **state)
{
	struct make_capture capture = make_capture();

	(void)state;
	expect(&capture, "", ERROR_NONE, 0);
	make_free(&capture);
}

static void zeros_after_the_last_block_are_a_clean_end(void **state)
{
	struct make_capture capture = abc();
	uint64_t next = make_header(&capture)->next;

	(void)state;
	make_grow(&capture, capture.size + 300000);
	make_header(&capture)->next = next;
	expect(&capture, "abc", ERROR_NONE, 0);
	make_free(&capture);
}

static void zeros_between_blocks_are_skipped(void **state)
{
	struct make_capture capture = abc();

	(void)state;
	make_grow(&capture, capture.size + 3 * BINLOG_PAGE);
	add_block(&capture, 1, 0, 'd');
	expect(&capture, "abcd", ERROR_NONE, 0);
	make_free(&capture);
}

static void a_damaged_block_costs_itself_alone(void **state)
{
	struct make_capture capture = abc();

	(void)state;
	add_block(&capture, 1, 0, 'd');
	capture.bytes[2 * BINLOG_PAGE] ^= 1; /* the magic of "b" */
	expect(&capture, "acd", ERROR_GAP, 2);
	make_free(&capture);
}

/* What is not there may be in the log. */
static void nothing_is_missing_that_may_have_been_packed(void **state)
{
	struct make_capture capture = abc();
	const struct binlog_packed packed = {.bytes = BINLOG_PAGE, .log = 1};

	(void)state;
	memcpy(capture.bytes + BINLOG_PACKED_OFFSET, &packed, sizeof(packed));
	capture.bytes[2 * BINLOG_PAGE] ^= 1; /* the magic of "b" */
	expect(&capture, "ac", ERROR_FREED, 1);
	make_free(&capture);
}

/* Those behind the last block are not gone back to. */
static void damage_before_zeros_costs_no_other_block(void **state)
{
	struct make_capture capture = abc();
	uint64_t next = make_header(&capture)->next;

	(void)state;
	add_block(&capture, 1, 0, 'd');
	make_grow(&capture, capture.size + 4 * BINLOG_PAGE);
	make_header(&capture)->next = next;
	capture.bytes[BINLOG_PAGE] ^= 1; /* the magic of "a" */
	expect(&capture, "bcd", ERROR_GAP, 2);
	make_free(&capture);
}

static void a_block_with_an_impossible_size_is_none(void **state)
{
	const uint32_t sizes[] = {0, 87, BINLOG_BLOCK_MAX + 1, UINT32_MAX};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct make_capture capture = make_capture();
		struct make_block block;

		add_block(&capture, 0, 0, 'a');
		block = add_block(&capture, 1, 0, 'b');
		add_block(&capture, 2, 0, 'c');
		make_block_head(&block)->size = sizes[i];
		expect(&capture, "ac", ERROR_BLOCK, 1);
		make_free(&capture);
	}
}

static void a_block_of_another_file_is_none(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block block;

	(void)state;
	add_block(&capture, 0, 0, 'a');
	block = add_block(&capture, 1, 0, 'b');
	make_block_head(&block)->nonce++;
	expect(&capture, "a", ERROR_BLOCK, 1);
	make_free(&capture);
}

/* The whole file "abc" as a string in another one, at a page. */
static void a_capture_within_a_text_is_only_text(void **state)
{
	const struct make_context context = {
		.id = CONTEXT, .text = BINLOG_TEXT_BYTES, .kinds = "\5"};
	struct make_capture inner = abc();
	struct make_capture capture = make_capture();
	struct make_block block = make_block(&capture, 0, 0, 65536, 0);
	static const uint8_t zeros[2 * BINLOG_PAGE];
	struct read_back read;

	(void)state;
	make_context(&block, &context);
	/* A record of a later version, up to 12 bytes before a page. */
	make_control(&block, 15, &(struct binlog_control_head){0},
		sizeof(struct binlog_control_head), zeros,
		2 * BINLOG_PAGE - (block.at + 20) % BINLOG_PAGE);
	make_message(&block, CONTEXT, 1);
	make_u32(&block, (uint32_t)inner.size);
	assert_int_equal(block.at % BINLOG_PAGE, 0);
	make_bytes(&block, inner.bytes, inner.size);
	read = read_back(&capture);
	assert_int_equal(read.messages, 1);
	assert_int_equal(read.text.length, inner.size);
	assert_memory_equal(read.text.data, inner.bytes, inner.size);
	assert_int_equal(read.errors.count, 0);
	read_back_free(&read);
	make_free(&capture);
	make_free(&inner);
}

static void a_damaged_nonce_of_the_file_does_no_harm(void **state)
{
	struct make_capture capture = abc();

	(void)state;
	make_header(&capture)->nonce ^= 4;
	expect(&capture, "abc", ERROR_NONCE, 1);
	make_free(&capture);
}

static void a_missing_block_is_reported_with_how_many(void **state)
{
	struct make_capture capture = make_capture();
	struct read_back read;

	(void)state;
	add_block(&capture, 0, 0, 'a');
	add_block(&capture, 0, 3, 'd');
	read = read_back(&capture);
	assert_string_equal(read.text.data, "ad");
	assert_int_equal(read.errors.count, 1);
	assert_int_equal(read.errors.kept[0].code, ERROR_GAP);
	assert_int_equal(read.errors.kept[0].number, 2);
	assert_int_equal(read.errors.kept[0].offset, 2 * BINLOG_PAGE);
	read_back_free(&read);
	make_free(&capture);
}

static void a_copy_of_a_block_is_read_once(void **state)
{
	struct make_capture capture = abc();

	(void)state;
	make_grow(&capture, capture.size + BINLOG_PAGE);
	memcpy(capture.bytes + 4 * BINLOG_PAGE, capture.bytes + 2 * BINLOG_PAGE,
		BINLOG_PAGE);
	expect(&capture, "abc", ERROR_BLOCK_TWICE, 1);
	make_free(&capture);
}

/* They have all in common but the process, or the thread. */
static void blocks_of_one_number_that_are_no_copies_are_all_read(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block first, second;

	(void)state;
	first = add_block(&capture, 0, 0, 'a');
	second = add_block(&capture, 0, 0, 'b');
	make_block_head(&second)->anchor = make_block_head(&first)->anchor;
	make_block_head(&second)->process = 1;
	expect(&capture, "ab", ERROR_BLOCK_CLASH, 1);
	make_block_head(&second)->process = 0;
	make_block_head(&second)->tid++;
	expect(&capture, "ab", ERROR_BLOCK_CLASH, 1);
	make_free(&capture);
}

static void what_was_passed_and_dropped_is_added_up(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block block = add_block(&capture, 0, 0, 'a');
	struct error_list errors = {0};
	const char *path = read_back_path(2);
	struct recording *read;

	(void)state;
	make_block_head(&block)->passed = 5;
	make_block_head(&block)->dropped = 6;
	block = add_block(&capture, 1, 0, 'b');
	make_block_head(&block)->passed = 50;
	make_header(&capture)->passed = 500;
	make_header(&capture)->dropped = 600;
	make_file(&capture, path);
	read = recording_open(path, true, &errors);
	assert_true(read->passed == 555);
	assert_true(read->dropped == 606);
	recording_close(read);
	unlink(path);
	make_free(&capture);
}

/* The file ends early, and its header knows: whole pages are gone. */
static void blocks_beyond_the_end_are_reported(void **state)
{
	struct make_capture capture = abc();
	struct read_back read = read_back_part(&capture, 3 * BINLOG_PAGE);

	(void)state;
	assert_string_equal(read.text.data, "ab");
	assert_int_equal(read_back_errors(&read, ERROR_BLOCKS_GONE), 1);
	assert_int_equal(read.errors.kept[0].number, BINLOG_PAGE);
	read_back_free(&read);
	make_free(&capture);
}

static void expect_unreadable(const char *path, enum error_code code)
{
	struct error_list errors = {0};
	struct timespec before, after;

	clock_gettime(CLOCK_MONOTONIC, &before);
	assert_null(recording_open(path, true, &errors));
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_int_equal(errors.count, 1);
	assert_int_equal(errors.kept[0].code, code);
	assert_true(after.tv_sec - before.tv_sec <= 2);
}

static void what_is_no_capture_is_refused_at_once(void **state)
{
	struct make_capture capture = make_capture();
	const char *path = read_back_path(3);

	(void)state;
	expect_unreadable("/nonexistent/x", ERROR_OPEN);
	expect_unreadable("/tmp", ERROR_NOT_REGULAR);
	expect_unreadable("/dev/zero", ERROR_NOT_REGULAR);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_unreadable(path, ERROR_NOT_REGULAR);
	unlink(path);
	make_file_of(&capture, path, 0);
	expect_unreadable(path, ERROR_EMPTY_FILE);
	make_file_of(&capture, path, 3);
	expect_unreadable(path, ERROR_HEADER_CUT);
	make_file_of(&capture, path, sizeof(struct binlog_header) - 1);
	expect_unreadable(path, ERROR_HEADER_CUT);
	make_header(&capture)->version = BINLOG_VERSION + 1;
	make_file(&capture, path);
	expect_unreadable(path, ERROR_VERSION);
	make_header(&capture)->version = BINLOG_VERSION - 1;
	make_file(&capture, path);
	expect_unreadable(path, ERROR_VERSION);
	make_header(&capture)->byte_order = 0x04030201;
	make_file(&capture, path);
	expect_unreadable(path, ERROR_BYTE_ORDER);
	memcpy(capture.bytes, "plain text", 10);
	make_file(&capture, path);
	expect_unreadable(path, ERROR_MAGIC);
	unlink(path);
	make_free(&capture);
}

static void a_terabyte_of_hole_takes_no_time(void **state)
{
	struct make_capture capture = abc();
	const char *path = read_back_path(4);
	struct timespec before, after;
	struct read_back read;

	(void)state;
	make_file(&capture, path);
	if (truncate(path, (off_t)1 << 40) != 0)
		skip(); /* this file system has no such files */
	clock_gettime(CLOCK_MONOTONIC, &before);
	read = read_back_files(&path, 1);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_string_equal(read.text.data, "abc");
	assert_true(after.tv_sec - before.tv_sec <= 2);
	read_back_free(&read);
	unlink(path);
	make_free(&capture);
}

static void a_capture_that_is_not_kept_open_is_read_all_the_same(void **state)
{
	struct make_capture capture = abc();
	const char *path = read_back_path(5);
	struct error_list errors = {0};
	struct recording *read;
	char magic[4];

	(void)state;
	make_file(&capture, path);
	read = recording_open(path, false, &errors);
	assert_int_equal(read->fd, -1);
	assert_int_equal(recording_read(read, BINLOG_PAGE, magic, 4), 4);
	assert_memory_equal(magic, "BLBK", 4);
	assert_int_equal(errors.count, 0);
	/* Another file of this name is not the capture. */
	make_file(&capture, read_back_path(6));
	assert_int_equal(rename(read_back_path(6), path), 0);
	assert_int_equal(recording_read(read, BINLOG_PAGE, magic, 4), 0);
	assert_int_equal(errors.kept[0].code, ERROR_READ);
	assert_int_equal(errors.kept[0].system, ESTALE);
	/* Nor is one on another device. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/proc/self/status", path), 0);
	assert_int_equal(recording_read(read, BINLOG_PAGE, magic, 4), 0);
	assert_int_equal(errors.kept[1].system, ESTALE);
	unlink(path);
	assert_int_equal(recording_skip_hole(read, 5), 5);
	recording_close(read);
	make_free(&capture);
}

static void a_file_that_cannot_be_asked_what_it_is_is_not_read(void **state)
{
	struct make_capture capture = abc();
	const char *path = read_back_path(5);
	struct error_list errors = {0};
	struct recording *read;
	char magic[4];

	(void)state;
	make_file(&capture, path);
	read = recording_open(path, false, &errors);
	inject_begin(INJECT_STAT, 0, true);
	assert_int_equal(recording_read(read, BINLOG_PAGE, magic, 4), 0);
	inject_end();
	assert_int_equal(errors.count, 1);
	assert_int_equal(errors.kept[0].code, ERROR_READ);
	recording_close(read);
	unlink(path);
	make_free(&capture);
}

static void hostile_input_cannot_make_the_list_of_errors_grow(void **state)
{
	struct make_capture capture = make_capture();
	char sentence[64];
	struct read_back read;
	uint32_t i;

	(void)state;
	for (i = 0; i < 200; i++) {
		add_block(&capture, i, 0, 'a');
		make_grow(&capture, capture.size + BINLOG_PAGE);
		capture.bytes[capture.size - 1] = 1;
	}
	read = read_back(&capture);
	assert_int_equal(read.messages, 200);
	assert_int_equal(read.errors.count, 200);
	assert_int_equal(error_count(&read.errors, ERROR_SEVERITY_DAMAGE), 200);
	error_sentence(&read.errors.kept[0], sentence, sizeof(sentence));
	assert_non_null(strstr(sentence, ".binlog:8192: skipped: "));
	read_back_free(&read);
	make_free(&capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_block_is_read_in_the_order_of_its_writer),
		cmocka_unit_test(a_capture_without_blocks_is_empty_and_whole),
		cmocka_unit_test(zeros_after_the_last_block_are_a_clean_end),
		cmocka_unit_test(zeros_between_blocks_are_skipped),
		cmocka_unit_test(a_damaged_block_costs_itself_alone),
		cmocka_unit_test(damage_before_zeros_costs_no_other_block),
		cmocka_unit_test(nothing_is_missing_that_may_have_been_packed),
		cmocka_unit_test(a_block_with_an_impossible_size_is_none),
		cmocka_unit_test(a_block_of_another_file_is_none),
		cmocka_unit_test(a_capture_within_a_text_is_only_text),
		cmocka_unit_test(a_damaged_nonce_of_the_file_does_no_harm),
		cmocka_unit_test(a_missing_block_is_reported_with_how_many),
		cmocka_unit_test(a_copy_of_a_block_is_read_once),
		cmocka_unit_test(
			blocks_of_one_number_that_are_no_copies_are_all_read),
		cmocka_unit_test(what_was_passed_and_dropped_is_added_up),
		cmocka_unit_test(blocks_beyond_the_end_are_reported),
		cmocka_unit_test(what_is_no_capture_is_refused_at_once),
		cmocka_unit_test(a_terabyte_of_hole_takes_no_time),
		cmocka_unit_test(
			a_capture_that_is_not_kept_open_is_read_all_the_same),
		cmocka_unit_test(
			a_file_that_cannot_be_asked_what_it_is_is_not_read),
		cmocka_unit_test(
			hostile_input_cannot_make_the_list_of_errors_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
