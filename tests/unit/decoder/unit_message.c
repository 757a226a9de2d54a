#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

#include <cmocka.h>

#include "base/limits.h"
#include "tests/unit/world/inject_faults.h"
#include "tests/unit/world/read_back.h"

#define CONTEXT 16u
#define FORMAT 1u
#define STREAM 1u

#define I32 "\1"
#define I64 "\2"
#define F64 "\3"
#define LONG_DOUBLE "\4"
#define STRING "\5"
#define WIDE "\6"

/* A capture with one context; arguments are to be appended to `block`. */
struct one {
	struct make_capture capture;
	struct make_block block;
};

static void begin(
	struct one *one, uint16_t text, const char *format, const char *kinds)
{
	const struct make_context context = {
		.id = CONTEXT,
		.text = text,
		.format = format ? FORMAT : 0,
		.stream = STREAM,
		.kinds = kinds,
	};

	one->capture = make_capture();
	one->block = make_block(&one->capture, 0, 0, 8192, 1000);
	make_process(&one->block, MAKE_PID, "/usr/bin/one");
	make_stream(&one->block, STREAM, BINLOG_STREAM_STDERR, 2);
	if (format)
		make_string(&one->block, FORMAT, format);
	make_context(&one->block, &context);
	make_message(&one->block, CONTEXT, 2000);
}

static void expect(struct one *one, const char *text)
{
	struct read_back read = read_back(&one->capture);

	assert_string_equal(read.text.data, text);
	assert_int_equal(read.messages, 1);
	assert_int_equal(read.errors.count, 0);
	read_back_free(&read);
	make_free(&one->capture);
}

static void a_format_is_rendered_with_its_arguments(void **state)
{
	char expected[128];
	struct one one;
	double pi = 3.14159;

	(void)state;
	begin(&one, BINLOG_TEXT_FORMAT, "%d|%lx|%8.3f|%s|\n",
		I32 I64 F64 STRING);
	make_u32(&one.block, (uint32_t)-5);
	make_u64(&one.block, 0xfeedfacecafe);
	make_bytes(&one.block, &pi, sizeof(pi));
	make_text(&one.block, "word");
	snprintf(expected, sizeof(expected), "%d|%lx|%8.3f|%s|\n", -5,
		0xfeedfacecafeul, pi, "word");
	expect(&one, expected);
}

static void a_literal_is_not_a_format(void **state)
{
	struct one one;

	(void)state;
	begin(&one, BINLOG_TEXT_LITERAL, "100%d\n", NULL);
	expect(&one, "100%d\n");
	begin(&one, BINLOG_TEXT_LITERAL_LINE, "100%d", NULL);
	expect(&one, "100%d\n");
}

static void bytes_are_given_as_they_are(void **state)
{
	struct one one;

	(void)state;
	begin(&one, BINLOG_TEXT_BYTES, NULL, STRING);
	make_text(&one.block, "%s half a li");
	expect(&one, "%s half a li");
	begin(&one, BINLOG_TEXT_BYTES_LINE, NULL, STRING);
	make_text(&one.block, "line");
	expect(&one, "line\n");
	begin(&one, BINLOG_TEXT_CHARACTER, NULL, I32);
	make_u32(&one.block, 'x');
	expect(&one, "x");
}

static void bytes_may_contain_nul(void **state)
{
	struct one one;
	struct read_back read;

	(void)state;
	begin(&one, BINLOG_TEXT_BYTES, NULL, STRING);
	make_u32(&one.block, 3);
	make_bytes(&one.block, "a\0b", 3);
	read = read_back(&one.capture);
	assert_int_equal(read.text.length, 3);
	assert_memory_equal(read.text.data, "a\0b", 3);
	read_back_free(&read);
	make_free(&one.capture);
}

/* What libc itself prints for `call`, into a file. */
#define NATIVELY(expected, call)                                               \
	do {                                                                   \
		char *natively_text = NULL;                                    \
		size_t natively_size;                                          \
		FILE *natively_stderr = stderr;                                \
		stderr = open_memstream(&natively_text, &natively_size);       \
		call;                                                          \
		fclose(stderr);                                                \
		stderr = natively_stderr;                                      \
		snprintf(expected, sizeof(expected), "%s", natively_text);     \
		free(natively_text);                                           \
	} while (0)

static void perror_is_put_together_as_libc_does(void **state)
{
	const char *const prefixes[] = {"open", "", NULL};
	const int numbers[] = {0, ENOENT, 4095};
	char expected[256];
	struct one one;
	size_t i, j;

	(void)state;
	for (i = 0; i < 3; i++) {
		for (j = 0; j < 3; j++) {
			NATIVELY(expected,
				(errno = numbers[j], perror(prefixes[i])));
			begin(&one, BINLOG_TEXT_PERROR, NULL, STRING I32);
			if (prefixes[i])
				make_text(&one.block, prefixes[i]);
			else
				make_u32(&one.block, BINLOG_NULL);
			make_u32(&one.block, (uint32_t)numbers[j]);
			expect(&one, expected);
		}
	}
}

static void warn_is_put_together_with_and_without_format(void **state)
{
	char expected[256];
	struct one one;

	(void)state;
	snprintf(expected, sizeof(expected), "one: file 7: %s\n",
		strerror(EACCES));
	begin(&one, BINLOG_TEXT_WARN, "file %d", STRING I32 I32);
	make_text(&one.block, "one");
	make_u32(&one.block, EACCES);
	make_u32(&one.block, 7);
	expect(&one, expected);

	snprintf(expected, sizeof(expected), "one: %s\n", strerror(EACCES));
	begin(&one, BINLOG_TEXT_WARN, NULL, STRING I32);
	make_text(&one.block, "one");
	make_u32(&one.block, EACCES);
	expect(&one, expected);

	begin(&one, BINLOG_TEXT_WARNX, "file %d", STRING I32);
	make_text(&one.block, "one");
	make_u32(&one.block, 7);
	expect(&one, "one: file 7\n");

	begin(&one, BINLOG_TEXT_WARNX, NULL, STRING);
	make_text(&one.block, "one");
	expect(&one, "one: \n");
}

static void error_has_a_reason_only_where_there_is_one(void **state)
{
	char expected[256];
	struct one one;

	(void)state;
	snprintf(expected, sizeof(expected), "one: bad x: %s\n",
		strerror(EINVAL));
	begin(&one, BINLOG_TEXT_ERROR, "bad %s", STRING I32 STRING);
	make_text(&one.block, "one: ");
	make_u32(&one.block, EINVAL);
	make_text(&one.block, "x");
	expect(&one, expected);

	begin(&one, BINLOG_TEXT_ERROR, "bad %s", STRING I32 STRING);
	make_text(&one.block, "one:f.c:3: ");
	make_u32(&one.block, 0);
	make_text(&one.block, "x");
	expect(&one, "one:f.c:3: bad x\n");
}

static void syslog_text_is_the_format_alone(void **state)
{
	struct one one;

	(void)state;
	begin(&one, BINLOG_TEXT_SYSLOG, "hello %d", I32 I32 I32 STRING I32);
	make_u32(&one.block, LOG_DAEMON | LOG_ERR);
	make_u32(&one.block, 77);
	make_u32(&one.block, 3600);
	make_text(&one.block, "me");
	make_u32(&one.block, 5);
	expect(&one, "hello 5");
}

static void log_perror_ends_lines_and_stops_at_nul(void **state)
{
	struct one one;

	(void)state;
	begin(&one, BINLOG_TEXT_SYSLOG_PERROR, "hello\n", I32 I32 I32 STRING);
	make_u32(&one.block, LOG_DAEMON | LOG_ERR);
	make_u32(&one.block, 77);
	make_u32(&one.block, 3600);
	make_text(&one.block, "me");
	expect(&one, "me[77]: hello\n");

	begin(&one, BINLOG_TEXT_SYSLOG_PERROR, "z%cq", I32 I32 I32 STRING I32);
	make_u32(&one.block, LOG_INFO);
	make_u32(&one.block, 0);
	make_u32(&one.block, 3600);
	make_text(&one.block, "me");
	make_u32(&one.block, 0);
	expect(&one, "me: z\n");
}

/* The capture is of 2023-11-14 22:13:20 UTC, the process an hour east. */
static void the_head_of_a_syslog_message_is_that_of_glibc(void **state)
{
	struct render_buffer out = {0};
	struct one one;
	struct error_list errors = {0};
	struct message_syslog syslog;
	const struct message *message;
	const char *path = read_back_path(1);
	struct recording *capture;
	struct merge *merge;

	(void)state;
	begin(&one, BINLOG_TEXT_SYSLOG, "x", I32 I32 I32 STRING);
	make_u32(&one.block, LOG_DAEMON | LOG_ERR);
	make_u32(&one.block, 77);
	make_u32(&one.block, 3600);
	make_text(&one.block, "me");
	make_file(&one.capture, path);
	capture = recording_open(path, true, &errors);
	merge = merge_new(&capture, 1);
	message = merge_next(merge);
	assert_non_null(message);
	assert_true(message_is_syslog(message, &syslog));
	message_syslog_head(message, &syslog, &out);
	render_buffer_put_byte(&out, '\0');
	assert_string_equal(out.data, "<27>Nov 14 23:13:20 me[77]: ");
	out.length = 0;
	syslog.pid = 0;
	syslog.ident = NULL;
	message_syslog_head(message, &syslog, &out);
	render_buffer_put_byte(&out, '\0');
	assert_string_equal(out.data, "<27>Nov 14 23:13:20 : ");
	render_buffer_free(&out);
	merge_free(merge);
	recording_close(capture);
	unlink(path);
	make_free(&one.capture);
}

static void a_string_may_be_a_defined_one_or_null(void **state)
{
	const struct make_context context = {.id = CONTEXT,
		.text = BINLOG_TEXT_FORMAT,
		.format = FORMAT,
		.kinds = STRING WIDE};
	struct make_capture capture = make_capture();
	struct make_block block = make_block(&capture, 0, 0, 4096, 0);
	struct read_back read;

	(void)state;
	make_string(&block, FORMAT, "%s %ls\n");
	make_string(&block, 9, "nine");
	make_context(&block, &context);
	make_message(&block, CONTEXT, 5);
	make_u32(&block, BINLOG_STRING_ID | 9);
	make_u32(&block, BINLOG_NULL);
	make_message(&block, CONTEXT, 6);
	make_u32(&block, BINLOG_STRING_ID | 10);
	make_u32(&block, sizeof(uint32_t));
	make_u32(&block, 'y');
	make_message(&block, CONTEXT, 7);
	make_u32(&block, BINLOG_NULL);
	make_u32(&block, BINLOG_STRING_ID | 11);
	read = read_back(&capture);
	assert_string_equal(
		read.text.data, "nine (null)\n<string ?> y\n(null) (null)\n");
	assert_int_equal(read.errors.count, 2);
	assert_int_equal(read_back_errors(&read, ERROR_STRING), 2);
	assert_int_equal(read.errors.kept[0].number, 10);
	assert_int_equal(read.errors.kept[1].number, 11);
	read_back_free(&read);
	make_free(&capture);
}

static void a_lost_format_leaves_the_arguments(void **state)
{
	const struct make_context context = {.id = CONTEXT,
		.text = BINLOG_TEXT_FORMAT,
		.format = 44,
		.kinds = I32 STRING LONG_DOUBLE WIDE};
	struct make_capture capture = make_capture();
	struct make_block block = make_block(&capture, 0, 0, 4096, 0);
	struct read_back read;

	(void)state;
	make_context(&block, &context);
	make_message(&block, CONTEXT, 5);
	make_u32(&block, 5);
	make_text(&block, "x\"\\\n");
	make_bytes(&block, &(long double){1}, 16);
	make_u32(&block, BINLOG_NULL);
	read = read_back(&capture);
	assert_string_equal(
		read.text.data, "<fmt ?> args: 5, \"x\\x22\\x5c\\x0a\", ?, (null)\n");
	assert_int_equal(read_back_errors(&read, ERROR_STRING), 1);
	read_back_free(&read);
	make_free(&capture);
}

static void an_unknown_kind_of_text_shows_its_arguments(void **state)
{
	struct one one;
	struct read_back read;

	(void)state;
	begin(&one, 99, NULL, I32);
	make_u32(&one.block, 5);
	read = read_back(&one.capture);
	assert_string_equal(read.text.data, "<fmt ?> args: 5\n");
	assert_int_equal(read_back_errors(&read, ERROR_TEXT), 1);
	read_back_free(&read);
	make_free(&one.capture);
}

/* Contexts whose arguments are not what their text needs: no crash, no read
 * of what is not there. */
static void arguments_of_the_wrong_kinds_do_no_harm(void **state)
{
	static const char *const kinds[] = {
		"", I32, STRING, F64 F64, STRING STRING, I32 I32 I32};
	uint16_t text;
	size_t i;

	(void)state;
	for (text = 0; text < 14; text++) {
		for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			struct read_back read;
			struct one one;

			begin(&one, text, i % 2 ? "%d%s%n" : NULL, kinds[i]);
			read = read_back(&one.capture);
			assert_int_equal(read.messages, 1);
			read_back_free(&read);
			make_free(&one.capture);
		}
	}
}

static void of_a_place_whose_texts_are_cut_is_told_once(void **state)
{
	uint64_t limit = limits_of(LIMIT_PADDING);
	struct read_back read;
	struct one one;

	(void)state;
	begin(&one, BINLOG_TEXT_FORMAT, "%300d", I32);
	make_u32(&one.block, 5);
	make_message(&one.block, CONTEXT, 2001);
	make_u32(&one.block, 6);
	limits_values[LIMIT_PADDING] = 100;
	read = read_back(&one.capture);
	limits_values[LIMIT_PADDING] = limit;
	assert_int_equal(read.messages, 2);
	assert_true(read.text.length < 300);
	assert_int_equal(read.errors.count, 1);
	assert_int_equal(read_back_errors(&read, ERROR_TEXT_CUT), 1);
	read_back_free(&read);
	make_free(&one.capture);
}

/* Without names, as without being asked for them. */
static void arguments_that_do_not_fit_are_not_named(void **state)
{
	struct render_buffer out = {.named = true};
	struct error_list errors = {0};
	const char *path = read_back_path(2);
	const struct message *message;
	struct recording *capture;
	struct merge *merge;
	struct one one;

	(void)state;
	begin(&one, BINLOG_TEXT_FORMAT, "size=%d of %s\n", I32);
	make_u32(&one.block, 5);
	make_file(&one.capture, path);
	capture = recording_open(path, true, &errors);
	merge = merge_new(&capture, 1);
	message = merge_next(merge);
	assert_non_null(message);
	message_text(message, &out);
	render_buffer_put_byte(&out, '\0');
	expect(&one, out.data);
	assert_non_null(strstr(out.data, "size=5 of "));
	render_buffer_free(&out);
	merge_free(merge);
	recording_close(capture);
	unlink(path);
}

static void an_event_has_a_value_or_zero(void **state)
{
	struct render_argument value = {
		.kind = BINLOG_ARG_I64, .i64 = INT64_MIN};
	struct message message = {.arguments = &value, .count = 1};

	(void)state;
	assert_true(message_event_value(&message) == INT64_MIN);
	message.count = 0;
	assert_int_equal(message_event_value(&message), 0);
}

static void without_memory_there_is_no_text_and_that_is_told(void **state)
{
	struct definition_context context = {.text = BINLOG_TEXT_SYSLOG_PERROR};
	struct error_list errors = {0};
	struct recording capture = {.errors = &errors};
	const struct message message = {
		.context = &context, .capture = &capture};
	struct render_buffer out = {0};

	(void)state;
	inject_begin(INJECT_MEMORY, 0, true);
	message_text(&message, &out);
	inject_end();
	assert_int_equal(out.length, 0);
	assert_true(out.failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_format_is_rendered_with_its_arguments),
		cmocka_unit_test(a_literal_is_not_a_format),
		cmocka_unit_test(bytes_are_given_as_they_are),
		cmocka_unit_test(bytes_may_contain_nul),
		cmocka_unit_test(perror_is_put_together_as_libc_does),
		cmocka_unit_test(warn_is_put_together_with_and_without_format),
		cmocka_unit_test(error_has_a_reason_only_where_there_is_one),
		cmocka_unit_test(syslog_text_is_the_format_alone),
		cmocka_unit_test(log_perror_ends_lines_and_stops_at_nul),
		cmocka_unit_test(the_head_of_a_syslog_message_is_that_of_glibc),
		cmocka_unit_test(a_string_may_be_a_defined_one_or_null),
		cmocka_unit_test(a_lost_format_leaves_the_arguments),
		cmocka_unit_test(an_unknown_kind_of_text_shows_its_arguments),
		cmocka_unit_test(arguments_of_the_wrong_kinds_do_no_harm),
		cmocka_unit_test(of_a_place_whose_texts_are_cut_is_told_once),
		cmocka_unit_test(arguments_that_do_not_fit_are_not_named),
		cmocka_unit_test(an_event_has_a_value_or_zero),
		cmocka_unit_test(
			without_memory_there_is_no_text_and_that_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
