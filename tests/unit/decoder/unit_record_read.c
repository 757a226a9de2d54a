#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/world/read_back.h"

#define BYTES 16u
#define FORMAT 17u
#define STRING "\5"
#define TWO_NUMBERS "\1\1"

struct pieces {
	struct make_capture capture;
	struct make_block block;
};

/* A capture with a context of a string and one of two numbers. */
static void begin(struct pieces *pieces, uint32_t block_bytes)
{
	const struct make_context bytes = {.id = BYTES,
		.text = BINLOG_TEXT_BYTES,
		.stream = 1,
		.kinds = STRING};
	const struct make_context format = {.id = FORMAT,
		.text = BINLOG_TEXT_FORMAT,
		.format = 1,
		.stream = 1,
		.kinds = TWO_NUMBERS};

	pieces->capture = make_capture();
	pieces->block = make_block(&pieces->capture, 0, 0, block_bytes, 1000);
	make_process(&pieces->block, MAKE_PID, "/usr/bin/pieces");
	make_stream(&pieces->block, 1, BINLOG_STREAM_STDOUT, 1);
	make_string(&pieces->block, 1, "%d of %d");
	make_context(&pieces->block, &bytes);
	make_context(&pieces->block, &format);
}

static uint32_t word_of(const char *bytes)
{
	uint32_t word = BINLOG_SHORT | (uint32_t)strlen(bytes) << 24;

	memcpy(&word, bytes, strlen(bytes));
	return word;
}

static void put(struct pieces *pieces, const char *text, uint64_t ticks)
{
	make_message(&pieces->block, BYTES, ticks);
	make_text(&pieces->block, text);
}

/* What is read, each message with its ticks. */
static char *read_with_times(struct pieces *pieces, size_t *errors)
{
	static char all[1024];
	const char *path = read_back_path(0);
	struct error_list list = {0};
	struct render_buffer text = {0};
	const struct message *message;
	struct recording *capture;
	struct merge *merge;

	make_file(&pieces->capture, path);
	capture = recording_open(path, true, &list);
	merge = merge_new(&capture, 1);
	all[0] = '\0';
	while ((message = merge_next(merge))) {
		text.length = 0;
		message_text(message, &text);
		snprintf(all + strlen(all), sizeof(all) - strlen(all),
			"%d:%.*s|", (int)message->ticks, (int)text.length,
			(const char *)text.data);
	}
	*errors = list.count;
	render_buffer_free(&text);
	merge_free(merge);
	recording_close(capture);
	unlink(path);
	make_free(&pieces->capture);
	return all;
}

static void expect(struct pieces *pieces, const char *wanted, size_t wrong)
{
	size_t errors;

	assert_string_equal(read_with_times(pieces, &errors), wanted);
	assert_int_equal(errors, wrong);
}

static void what_goes_on_has_the_time_of_what_it_goes_on_with(void **state)
{
	struct pieces pieces;

	(void)state;
	begin(&pieces, 4096);
	put(&pieces, "begin", 2000);
	make_u32(&pieces.block, FORMAT | BINLOG_CONTINUES);
	make_u32(&pieces.block, 5);
	make_u32(&pieces.block, 6);
	make_u32(&pieces.block, BYTES | BINLOG_CONTINUES);
	make_text(&pieces.block, "with a length word");
	put(&pieces, "end", 3000);
	expect(&pieces,
		"2000:begin|2000:5 of 6|2000:with a length word|3000:end|", 0);
}

static void the_length_may_be_in_the_first_word(void **state)
{
	struct pieces pieces;

	(void)state;
	begin(&pieces, 4096);
	put(&pieces, "a", 2000);
	make_u32(&pieces.block,
		BYTES | BINLOG_CONTINUES | 5u << BINLOG_LENGTH_SHIFT);
	make_bytes(&pieces.block, "fiver", 5);
	put(&pieces, "b", 2001);
	expect(&pieces, "2000:a|2000:fiver|2001:b|", 0);
}

static void a_short_string_is_its_length_word(void **state)
{
	struct pieces pieces;

	(void)state;
	begin(&pieces, 4096);
	make_message(&pieces.block, BYTES, 2000);
	make_u32(&pieces.block, word_of("abc"));
	make_u32(&pieces.block, BYTES | BINLOG_CONTINUES);
	make_u32(&pieces.block, word_of("z"));
	make_u32(&pieces.block, BYTES | BINLOG_CONTINUES);
	make_u32(&pieces.block, word_of(""));
	put(&pieces, "b", 2001);
	expect(&pieces, "2000:abc|2000:z|2000:|2001:b|", 0);
}

static void a_repeated_context_is_one_word_with_its_string(void **state)
{
	struct pieces pieces;

	(void)state;
	begin(&pieces, 4096);
	put(&pieces, "first", 2000);
	make_u32(&pieces.block, BINLOG_CONTINUES | word_of(" 01"));
	make_u32(&pieces.block, BINLOG_CONTINUES | word_of("2"));
	make_u32(&pieces.block, BINLOG_CONTINUES | word_of("\xff\x80"));
	put(&pieces, "b", 2001);
	expect(&pieces, "2000:first|2000: 01|2000:2|2000:\xff\x80|2001:b|", 0);
}

static void the_last_but_one_context_can_be_repeated(void **state)
{
	const struct make_context other = {.id = 20,
		.text = BINLOG_TEXT_BYTES,
		.stream = 1,
		.kinds = STRING};
	struct pieces pieces;

	(void)state;
	begin(&pieces, 4096);
	make_context(&pieces.block, &other);
	put(&pieces, "a", 2000);
	make_u32(&pieces.block, 20 | BINLOG_CONTINUES);
	make_u32(&pieces.block, word_of("|"));
	make_u32(&pieces.block,
		BINLOG_CONTINUES | BINLOG_OTHER | word_of("bcd"));
	make_u32(&pieces.block, BINLOG_CONTINUES | BINLOG_OTHER | word_of("|"));
	make_u32(&pieces.block, BINLOG_CONTINUES | word_of("|"));
	make_u32(&pieces.block, BINLOG_CONTINUES | BINLOG_OTHER | word_of("e"));
	put(&pieces, "f", 2001);
	expect(&pieces, "2000:a|2000:||2000:bcd|2000:||2000:||2000:e|2001:f|",
		0);
	/* Not beyond what has ticks. */
	begin(&pieces, 4096);
	make_context(&pieces.block, &other);
	put(&pieces, "a", 2000);
	make_u32(&pieces.block, 20 | BINLOG_CONTINUES);
	make_u32(&pieces.block, word_of("|"));
	put(&pieces, "b", 2001);
	make_u32(&pieces.block, BINLOG_CONTINUES | BINLOG_OTHER | word_of("x"));
	expect(&pieces, "2000:a|2000:||2001:b|", 1);
}

static void repeating_nothing_ends_the_block(void **state)
{
	struct pieces pieces;

	(void)state;
	begin(&pieces, 4096);
	make_u32(&pieces.block, BINLOG_CONTINUES | word_of("a"));
	put(&pieces, "b", 2001);
	expect(&pieces, "", 1);
}

static void only_a_single_string_can_be_in_the_first_word(void **state)
{
	struct pieces pieces;

	(void)state;
	begin(&pieces, 4096);
	make_message(&pieces.block, FORMAT, 2000);
	make_u32(&pieces.block, 5);
	make_u32(&pieces.block, 6);
	make_u32(&pieces.block, BINLOG_CONTINUES | word_of("a"));
	put(&pieces, "b", 2001);
	expect(&pieces, "2000:5 of 6|", 1);

	begin(&pieces, 4096);
	put(&pieces, "a", 2000);
	make_u32(&pieces.block,
		FORMAT | BINLOG_CONTINUES | 8u << BINLOG_LENGTH_SHIFT);
	make_bytes(&pieces.block, "12345678", 8);
	expect(&pieces, "2000:a|", 1);
}

static void more_than_three_bytes_are_not_in_a_word(void **state)
{
	struct pieces pieces;

	(void)state;
	begin(&pieces, 4096);
	put(&pieces, "a", 2000);
	make_u32(&pieces.block, BYTES | BINLOG_CONTINUES);
	make_u32(&pieces.block, BINLOG_SHORT | 4u << 24);
	put(&pieces, "b", 2001);
	expect(&pieces, "2000:a|", 1);
}

static void without_a_beginning_the_time_is_that_of_the_block(void **state)
{
	struct pieces pieces;

	(void)state;
	begin(&pieces, 4096);
	make_u32(&pieces.block, BYTES | BINLOG_CONTINUES);
	make_text(&pieces.block, "middle");
	put(&pieces, "end", 3000);
	expect(&pieces, "1000:middle|3000:end|", 0);
}

static void a_length_beyond_the_block_is_damage(void **state)
{
	struct pieces pieces;

	(void)state;
	begin(&pieces, 4096);
	put(&pieces, "a", 2000);
	while (pieces.block.end - pieces.block.at > 16)
		make_u32(&pieces.block, BINLOG_CONTINUES | word_of("x"));
	make_u32(&pieces.block,
		BYTES | BINLOG_CONTINUES |
			BINLOG_LENGTH_MAX << BINLOG_LENGTH_SHIFT);
	make_u32(&pieces.block, 1);
	{
		struct read_back read = read_back(&pieces.capture);

		assert_true(read.messages > 500);
		assert_int_equal(read.errors.count, 1);
		assert_int_equal(read_back_errors(&read, ERROR_RECORD), 1);
		read_back_free(&read);
		make_free(&pieces.capture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_goes_on_has_the_time_of_what_it_goes_on_with),
		cmocka_unit_test(the_length_may_be_in_the_first_word),
		cmocka_unit_test(a_short_string_is_its_length_word),
		cmocka_unit_test(
			a_repeated_context_is_one_word_with_its_string),
		cmocka_unit_test(the_last_but_one_context_can_be_repeated),
		cmocka_unit_test(repeating_nothing_ends_the_block),
		cmocka_unit_test(only_a_single_string_can_be_in_the_first_word),
		cmocka_unit_test(more_than_three_bytes_are_not_in_a_word),
		cmocka_unit_test(
			without_a_beginning_the_time_is_that_of_the_block),
		cmocka_unit_test(a_length_beyond_the_block_is_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
