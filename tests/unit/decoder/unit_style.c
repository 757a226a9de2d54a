#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include <cmocka.h>

#include "decoder/output/style.h"
#include "tests/unit/world/read_back.h"

#define OUT 16u
#define ERR 17u
#define PIECE 18u
#define LOG 19u
#define LOG_PIECE 20u
#define STRING "\5"
#define LOG_KINDS "\1\1\1\5"

/* Lines of a process at a tick of the capture. */
#define LINE(nanoseconds, tid, stream, text)                                   \
	"2023-11-14 22:13:20." nanoseconds " prog[100:" tid "] " stream        \
	": " text "\n"
#define TEN_SPACES "          "
#define MORE(text)                                                             \
	TEN_SPACES TEN_SPACES TEN_SPACES TEN_SPACES TEN_SPACES "  " text "\n"

static void add_contexts(struct make_block *block)
{
	const struct make_context contexts[] = {
		{.id = OUT,
			.text = BINLOG_TEXT_BYTES,
			.stream = 1,
			.kinds = STRING},
		{.id = ERR,
			.text = BINLOG_TEXT_BYTES,
			.stream = 2,
			.kinds = STRING},
		{.id = PIECE,
			.text = BINLOG_TEXT_BYTES,
			.flags = BINLOG_CONTEXT_PARTIAL,
			.stream = 1,
			.kinds = STRING},
		{.id = LOG,
			.text = BINLOG_TEXT_SYSLOG,
			.format = 1,
			.stream = 3,
			.kinds = LOG_KINDS STRING},
		{.id = LOG_PIECE,
			.text = BINLOG_TEXT_SYSLOG,
			.flags = BINLOG_CONTEXT_PARTIAL,
			.format = 1,
			.stream = 3,
			.kinds = LOG_KINDS STRING},
	};
	size_t i;

	make_process(block, MAKE_PID, "/usr/bin/prog");
	make_stream(block, 1, BINLOG_STREAM_STDOUT, 1);
	make_stream(block, 2, BINLOG_STREAM_STDERR, 2);
	make_stream(block, 3, BINLOG_STREAM_SYSLOG, -1);
	make_string(block, 1, "%s");
	for (i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
		make_context(block, &contexts[i]);
}

static struct make_block add_writer(
	struct make_capture *capture, uint32_t writer)
{
	struct make_block block = make_block(capture, writer, 0, 8192, 0);

	add_contexts(&block);
	return block;
}

static void say(struct make_block *block, uint32_t context, uint64_t ticks,
	const char *text)
{
	make_message(block, context, ticks);
	make_text(block, text);
}

static void say_log(struct make_block *block, uint32_t context, uint64_t ticks,
	const char *ident, const char *text)
{
	make_message(block, context, ticks);
	make_u32(block, LOG_DAEMON | LOG_ERR);
	make_u32(block, 42);
	make_u32(block, 0);
	make_text(block, ident);
	make_text(block, text);
}

static size_t complaints; /* of the latest show() */

/* The capture in this style; the caller frees it. */
static char *show(
	const struct make_capture *made, const char *name, struct stack *stack)
{
	const char *path = read_back_path(0);
	struct error_list errors = {0};
	FILE *file = tmpfile();
	struct output output = {.fd = fileno(file)};
	const struct style_settings settings = {
		.output = &output, .stack = stack, .utc = true};
	const struct style *style = style_find(name);
	const struct message *message;
	struct recording *capture;
	struct merge *merge;
	char *text = calloc(1, 65536);
	void *state;

	make_file(made, path);
	capture = recording_open(path, true, &errors);
	merge = merge_new(&capture, 1);
	state = style->begin(&settings);
	while ((message = merge_next(merge)))
		style->message(state, message);
	style->end(state);
	output_flush(&output);
	assert_int_equal(output.failed, 0);
	complaints = errors.count;
	assert_true(pread(fileno(file), text, 65535, 0) >= 0);
	fclose(file);
	merge_free(merge);
	recording_close(capture);
	render_buffer_free(&output.text);
	unlink(path);
	return text;
}

static void expect(
	struct make_capture *made, const char *style, const char *expected)
{
	char *text = show(made, style, NULL);

	assert_string_equal(text, expected);
	assert_int_equal(complaints, 0);
	free(text);
	make_free(made);
}

/* clang-format off: a line of text is a line here */

static void a_line_has_time_program_stream_and_text(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_writer(&capture, 0);

	(void)state;
	say(&a, OUT, 123456789, "hello\n");
	say(&a, ERR, 999999999, "oops\n");
	say_log(&a, LOG, 999999999, "prog", "up\n");
	say_log(&a, LOG, 999999999, "other", "");
	expect(&capture, "line",
		LINE("123456789", "100", "stdout", "hello") LINE("999999999",
			"100", "stderr",
			"oops") LINE("999999999", "100", "daemon.err", "up")
			LINE("999999999", "100", "daemon.err", "other: "));
}

static void further_lines_of_a_message_are_aligned(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_writer(&capture, 0);

	(void)state;
	say(&a, OUT, 1, "one\ntwo\n");
	expect(&capture, "line",
		LINE("000000001", "100", "stdout", "one") MORE("two"));
}

static void pieces_are_joined_at_the_time_of_the_first(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_writer(&capture, 0);
	struct make_block b = add_writer(&capture, 1);

	(void)state;
	say(&a, OUT, 1, "on");
	say(&b, OUT, 2, "tw");
	say(&a, ERR, 3, "err");
	say(&a, OUT, 4, "e\nthr");
	say(&b, OUT, 5, "o\n");
	say(&a, OUT, 6, "ee\n");
	say(&a, OUT, 7, "end");
	expect(&capture, "line",
		LINE("000000001", "100", "stdout", "one") LINE("000000002",
			"101", "stdout",
			"two") LINE("000000004", "100", "stdout", "three")
			LINE("000000007", "100", "stdout", "end")
				LINE("000000003", "100", "stderr", "err"));
}

static void parts_of_one_call_are_one_message(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_writer(&capture, 0);

	(void)state;
	say(&a, PIECE, 1, "a\nb");
	say(&a, PIECE, 2, "c\n");
	say(&a, OUT, 3, "d");
	say(&a, OUT, 4, "\n");
	say(&a, PIECE, 5, "never ");
	say(&a, OUT, 6, "finished\n");
	expect(&capture, "line",
		LINE("000000001", "100", "stdout", "a") MORE("bc") LINE(
			"000000003", "100", "stdout", "d")
			LINE("000000005", "100", "stdout", "never finished"));
}

/* A damaged record comes between the pieces. */
static void parts_that_are_lost_do_not_swallow_the_next_message(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_writer(&capture, 0);
	char *text;

	(void)state;
	say(&a, PIECE, 1, "cut\nof");
	make_message(&a, 77, 2);
	a = make_block(&capture, 0, 1, 4096, 3);
	say(&a, OUT, 4, "next\n");
	say_log(&a, LOG_PIECE, 5, "me", "cut");
	make_message(&a, 77, 6);
	a = make_block(&capture, 0, 2, 4096, 7);
	say_log(&a, LOG, 8, "me", "next");
	text = show(&capture, "line", NULL);
	assert_int_equal(complaints, 2);
	assert_string_equal(text,
		LINE("000000001", "100", "stdout", "cut") MORE("of") LINE(
			"000000004", "100", "stdout", "next")
			LINE("000000005", "100", "daemon.err", "me: cut") LINE(
				"000000008", "100", "daemon.err", "me: next"));
	free(text);
	text = show(&capture, "raw", NULL);
	assert_string_equal(text, "cut\nofnext\n"
				  "<27>Nov 14 22:13:20 me[42]: cut\n"
				  "<27>Nov 14 22:13:20 me[42]: next\n");
	free(text);
	make_free(&capture);
}

static void one_file_for_both_outputs_is_told_by_the_descriptor(void **state)
{
	const uint32_t both = BINLOG_STREAM_STDOUT | BINLOG_STREAM_STDERR;
	struct make_context context = {
		.id = 30, .text = BINLOG_TEXT_BYTES, .kinds = STRING};
	struct make_capture capture = make_capture();
	struct make_block a = add_writer(&capture, 0);

	(void)state;
	for (context.stream = 10; context.stream < 13; context.stream++) {
		make_stream(&a, context.stream, context.stream < 12 ? both : 0,
			(int32_t)context.stream - 9);
		make_context(&a, &context);
		say(&a, context.id++, 1, "x\n");
	}
	context.stream = 99;
	make_context(&a, &context);
	say(&a, context.id, 1, "x\n");
	expect(&capture, "line",
		LINE("000000001", "100", "stdout", "x") LINE("000000001", "100",
			"stderr", "x") LINE("000000001", "100", "fd3", "x")
			LINE("000000001", "100", "?", "x"));
}

static void nothing_reaches_a_terminal_unescaped(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = make_block(&capture, 0, 0, 8192, 0);

	(void)state;
	add_contexts(&a);
	make_process(&a, MAKE_PID, "/bin/\x1b]0;x\n\x07");
	say(&a, OUT, 1, "\x1b[2J\n");
	say_log(&a, LOG, 2, "\x1b", "x");
	expect(&capture, "line",
		"2023-11-14 22:13:20.000000001 "
		"\\x1b]0;x\\x0a\\x07[100:100] stdout: \\x1b[2J\n"
		"2023-11-14 22:13:20.000000002 "
		"\\x1b]0;x\\x0a\\x07[100:100] daemon.err: \\x1b: x\n");
}

static void raw_is_the_bytes_and_syslog_as_datagrams(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_writer(&capture, 0);

	(void)state;
	say(&a, OUT, 1, "\x1b[2Jone\n\ntw");
	say(&a, ERR, 2, "oops");
	say_log(&a, LOG, 3, "me", "a\nb\n\n");
	say(&a, OUT, 4, "o\n");
	expect(&capture, "raw",
		"\x1b[2Jone\n\ntwoops<27>Nov 14 22:13:20 me[42]: a\\nb\no\n");
}

static void a_syslog_message_in_parts_has_one_head(void **state)
{
	struct make_capture capture = make_capture();
	struct make_block a = add_writer(&capture, 0);

	(void)state;
	say_log(&a, LOG_PIECE, 1, "me", "one ");
	say_log(&a, LOG, 2, "me", "two\n");
	say_log(&a, LOG_PIECE, 3, "me", "cut");
	expect(&capture, "raw",
		"<27>Nov 14 22:13:20 me[42]: one two\n"
		"<27>Nov 14 22:13:20 me[42]: cut\n");
}

static void frames_without_names_show_module_and_offset(void **state)
{
	const uint64_t frames[] = {0x5010, 0x7020, 0x9999};
	const struct make_context context = {.id = 30,
		.text = BINLOG_TEXT_BYTES,
		.stream = 1,
		.kinds = STRING,
		.frames = frames,
		.depth = 3};
	struct make_capture capture = make_capture();
	struct make_block a = add_writer(&capture, 0);
	const struct symbolizer_options options = {0};
	struct locations *locations = locations_new(&options);
	struct stack *stack = stack_new(locations, 2);
	char *text;

	(void)state;
	make_module(&a, 0x5000, 0x6000, 0x4000, "/nonexistent/liba.so");
	make_module(&a, 0x7000, 0x8000, 0x7000, "/nonexistent/libb.so");
	make_context(&a, &context);
	say(&a, 30, 1, "x\n");
	say(&a, 30, 2, "y\n");
	text = show(&capture, "line", stack);
	assert_string_equal(text,
		LINE("000000001", "100", "stdout",
			"x") "    #0 liba.so+0x100f\n"
			     "    #1 libb.so+0x1f\n" LINE("000000002", "100",
				     "stdout", "y") "    #0 liba.so+0x100f\n"
						    "    #1 libb.so+0x1f\n");
	free(text);
	stack_free(stack);
	stack = stack_new(locations, 9);
	text = show(&capture, "line", stack);
	assert_non_null(strstr(text, "\n    #2 0x9999\n"));
	free(text);
	stack_free(stack);
	locations_free(locations);
	make_free(&capture);
}

/* A library is unloaded and another one comes to the same addresses. */
static void frames_belong_to_what_was_mapped_at_the_time(void **state)
{
	const uint64_t frames[] = {0x5010};
	struct make_context context = {.id = 30,
		.text = BINLOG_TEXT_BYTES,
		.stream = 1,
		.kinds = STRING,
		.frames = frames,
		.depth = 1};
	struct make_capture capture = make_capture();
	struct make_block a = add_writer(&capture, 0);
	const struct symbolizer_options options = {0};
	struct locations *locations = locations_new(&options);
	struct stack *stack = stack_new(locations, 9);
	char *text;

	(void)state;
	make_module(&a, 0x5000, 0x6000, 0x5000, "/nonexistent/old.so");
	make_context(&a, &context);
	make_module(&a, 0x4000, 0x6000, 0x4000, "/nonexistent/new.so");
	context.id = 31;
	make_context(&a, &context);
	say(&a, 31, 1, "x\n");
	say(&a, 30, 2, "y\n");
	text = show(&capture, "line", stack);
	assert_string_equal(
		text, LINE("000000001", "100", "stdout",
			      "x") "    #0 new.so+0x100f\n" LINE("000000002",
			      "100", "stdout", "y") "    #0 old.so+0xf\n");
	free(text);
	stack_free(stack);
	locations_free(locations);
	make_free(&capture);
}

/* clang-format on */

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_time_program_stream_and_text),
		cmocka_unit_test(further_lines_of_a_message_are_aligned),
		cmocka_unit_test(pieces_are_joined_at_the_time_of_the_first),
		cmocka_unit_test(parts_of_one_call_are_one_message),
		cmocka_unit_test(
			parts_that_are_lost_do_not_swallow_the_next_message),
		cmocka_unit_test(
			one_file_for_both_outputs_is_told_by_the_descriptor),
		cmocka_unit_test(nothing_reaches_a_terminal_unescaped),
		cmocka_unit_test(raw_is_the_bytes_and_syslog_as_datagrams),
		cmocka_unit_test(a_syslog_message_in_parts_has_one_head),
		cmocka_unit_test(frames_without_names_show_module_and_offset),
		cmocka_unit_test(frames_belong_to_what_was_mapped_at_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
