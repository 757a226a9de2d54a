#include "tests/unit/world/small_talk.h"

#define FLIPS 20000

static void an_unknown_context_costs_the_rest_of_its_block(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = small_talk_block(&capture, 0, 0, 4096, 1);
	struct read_back read;

	(void)state;
	small_talk_say(&a, 2, 'a');
	make_message(&a, 77, 3);
	small_talk_say(&a, 4, 'b');
	a = small_talk_block(&capture, 0, 1, 4096, 10);
	small_talk_say(&a, 11, 'c');
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
		struct make_block a = small_talk_block(&capture, 0, 0, 4096, 1);

		make_context(&a, &contexts[i]);
		small_talk_say(&a, 2, 'a');
		make_message(&a, 30, 3);
		small_talk_expect(&capture, capture.size, "a", 1);
		make_free(&capture);
	}
}

static void more_arguments_than_any_call_has_cost_the_rest(void **state)
{
	char kinds[401];
	const struct make_context context = {
		.id = 30, .text = BINLOG_TEXT_FORMAT, .kinds = kinds};
	struct make_capture capture = make_capture();
	struct make_block a = small_talk_block(&capture, 0, 0, 8192, 1);

	(void)state;
	memset(kinds, *I32, 400);
	kinds[400] = '\0';
	make_context(&a, &context);
	small_talk_say(&a, 2, 'a');
	make_message(&a, 30, 3);
	small_talk_expect(&capture, capture.size, "a", 1);
	make_free(&capture);
}

/* What follows in the next block is another call. */
static void pieces_do_not_go_on_across_damage(void **state)
{
	const char *path = read_back_path(1);
	struct make_capture capture = make_capture();
	struct make_block a = small_talk_block(&capture, 0, 0, 4096, 1);
	struct error_list errors = {0};
	struct recording *read;
	struct merge *merge;
	const struct message *message;

	(void)state;
	make_message(&a, PIECE, 2);
	make_text(&a, "cut");
	make_message(&a, 77, 3);
	a = small_talk_block(&capture, 0, 1, 4096, 4);
	make_message(&a, PIECE, 5);
	make_text(&a, "gap");
	a = small_talk_block(&capture, 0, 3, 4096, 6);
	small_talk_say(&a, 7, 'a');
	make_file(&capture, path);
	read = recording_open(path, true, &errors);
	merge = merge_new(&read, 1);
	while ((message = merge_next(merge)))
		assert_false(message->continues);
	assert_int_equal(errors.count, 2);
	merge_free(merge);
	recording_close(read);
	unlink(path);
	make_free(&capture);
}

/* Even right behind a record, and without help of the header. */
static void a_cut_behind_a_record_is_noticed(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = small_talk_block(&capture, 0, 0, 4096, 1);
	struct read_back read;

	(void)state;
	small_talk_say(&a, 2, 'a');
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
		struct make_block a = small_talk_block(&capture, 0, 0, 4096, 1);

		small_talk_say(&a, 2, 'a');
		make_message(&a, BYTES, 3);
		make_u32(&a, lengths[i]);
		small_talk_expect(&capture, capture.size, "a", 1);
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
		struct make_block a = small_talk_block(&capture, 0, 0, 4096, 1);

		small_talk_say(&a, 2, 'a');
		make_u32(&a, BINLOG_STRING);
		make_u32(&a, sizes[i]);
		small_talk_say(&a, 3, 'b');
		small_talk_expect(&capture, capture.size, "a", 1);
		make_free(&capture);
	}
}

/* A page of a block that never reached the disk, as after a power cut. */
static void a_page_of_zeros_inside_a_block_is_noticed(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = small_talk_block(&capture, 0, 0, 16384, 1);
	struct read_back read;

	(void)state;
	while (a.at + 12 <= a.end)
		small_talk_say(&a, 2, 'a');
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
	struct make_block a = small_talk_block(&capture, 0, 0, 16384, 1);

	(void)state;
	small_talk_say(&a, 2, 'a');
	make_message(&a, 0, 3);
	make_u32(&a, 3000);
	memset(capture.bytes + a.at, 'x', 3000);
	small_talk_expect(&capture, capture.size, "a", 0);
	make_free(&capture);
}

/* Definitions, messages of all sorts, two writers, three blocks. */
static struct make_capture make_mixed(size_t *ends, size_t *count)
{
	struct make_capture capture = make_capture();
	struct make_block a = small_talk_block(&capture, 0, 0, 1024, 1);
	struct make_block b;
	size_t i;

	*count = 0;
	make_process(&a, MAKE_PID, "/bin/mixed");
	make_thread(&a, 7, "seven");
	make_module(&a, 0x1000, 0x2000, 0, "/bin/mixed");
	for (i = 0; i < 5; i++) {
		small_talk_say(&a, 10 + i, 'a');
		ends[(*count)++] = a.at;
		make_message(&a, BYTES, 10 + i);
		make_text(&a, "some text");
		ends[(*count)++] = a.at;
		make_message(&a, LITERAL, 10 + i);
		ends[(*count)++] = a.at;
	}
	b = small_talk_block(&capture, 1, 0, 1024, 3);
	for (i = 0; i < 3; i++) {
		small_talk_say(&b, 10 + i, 'b');
		ends[(*count)++] = b.at;
	}
	a = small_talk_block(&capture, 0, 1, 1024, 30);
	small_talk_say(&a, 31, 'c');
	ends[(*count)++] = a.at;
	return capture;
}

static void cut_anywhere_every_whole_record_before_the_cut_is_read(void **state)
{
	size_t ends[64], count, size;
	struct make_capture capture = make_mixed(ends, &count);

	(void)state;
	for (size = 0; size <= capture.size; size++) {
		struct read_back read = read_back_part(&capture, size);
		size_t whole = 0;
		size_t i;

		for (i = 0; i < count; i++)
			whole += ends[i] <= size;
		assert_int_equal(read.messages, whole);
		assert_true((read.errors.count > 0) ==
			    (size < capture.size - BINLOG_PAGE + 1024));
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
		read = read_back(&capture);
		assert_true(read.messages <= capture.size / 8);
		read_back_free(&read);
	}
	free(whole);
	make_free(&capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
