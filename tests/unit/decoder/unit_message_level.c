/*
 * How important a message is: as it says itself, or else as is usual for who
 * said it, and where.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <syslog.h>

#include <cmocka.h>

#include "decoder/message/message_level.h"
#include "rules/levels.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define BOTH (BINLOG_STREAM_STDOUT | BINLOG_STREAM_STDERR)

static struct definition_string string_of(const char *bytes)
{
	return (struct definition_string){
		.bytes = bytes, .length = bytes ? strlen(bytes) : 0};
}

/* `format` and `function` may be null. */
static int level_of(struct definition_context *context, const char *format,
	const char *function, struct render_argument *arguments, size_t count)
{
	const struct definition_string strings[] = {
		string_of(format), string_of(function)};
	struct recording capture = {0};
	const struct message message = {
		.context = context,
		.capture = &capture,
		.arguments = arguments,
		.count = count,
	};

	context->format = format ? &strings[0] : NULL;
	context->function = function ? &strings[1] : NULL;
	context->level = 0; /* what its format says is asked once */
	return message_level(&message);
}

static void who_said_it_counts_where_the_text_says_nothing(void **state)
{
	static const struct {
		uint16_t text;
		const char *function;
		int level;
	} cases[] = {
		{BINLOG_TEXT_PERROR, "perror", LEVEL_err},
		{BINLOG_TEXT_ERROR, "error", LEVEL_err},
		{BINLOG_TEXT_WARN, "warn", LEVEL_warning},
		{BINLOG_TEXT_WARN, "err", LEVEL_err},
		{BINLOG_TEXT_WARN, "verr", LEVEL_err},
		{BINLOG_TEXT_WARNX, "warnx", LEVEL_warning},
		{BINLOG_TEXT_WARNX, "verrx", LEVEL_err},
		{BINLOG_TEXT_WARNX, NULL, LEVEL_warning},
		{BINLOG_TEXT_BYTES, "psignal", LEVEL_err},
		{BINLOG_TEXT_BYTES, "__assert_fail", LEVEL_err},
		{BINLOG_TEXT_BYTES, "puts", LEVEL_info},
		{BINLOG_TEXT_BYTES, NULL, LEVEL_info},
	};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		struct definition_context context = {.text = cases[i].text};

		assert_int_equal(
			level_of(&context, NULL, cases[i].function, NULL, 0),
			cases[i].level);
	}
}

static void standard_error_is_a_warning(void **state)
{
	static const struct {
		struct definition_stream stream;
		int level;
	} cases[] = {
		{{.flags = BINLOG_STREAM_STDERR, .fd = 2}, LEVEL_warning},
		{{.flags = BOTH, .fd = 2}, LEVEL_warning},
		{{.flags = BOTH, .fd = 1}, LEVEL_info},
		{{.flags = BINLOG_STREAM_STDOUT, .fd = 1}, LEVEL_info},
		{{.fd = 5}, LEVEL_info},
	};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		struct definition_context context = {
			.text = BINLOG_TEXT_FORMAT, .stream = &cases[i].stream};

		assert_int_equal(level_of(&context, "hello", NULL, NULL, 0),
			cases[i].level);
		assert_int_equal(level_of(&context, "debug: x", NULL, NULL, 0),
			LEVEL_debug);
	}
}

static void a_text_without_a_format_says_it_itself(void **state)
{
	static const char bytes[] = "error: no";
	struct render_argument string = {.kind = BINLOG_ARG_STRING,
		.data = bytes,
		.bytes = sizeof(bytes) - 1};
	struct render_argument null = {.kind = BINLOG_ARG_STRING, .null = true};
	struct render_argument number = {.kind = BINLOG_ARG_I32, .i32 = '<'};
	struct definition_context context = {.text = BINLOG_TEXT_BYTES};

	(void)state;
	assert_int_equal(level_of(&context, NULL, NULL, &string, 1), LEVEL_err);
	assert_int_equal(
		level_of(&context, NULL, NULL, &string, 0), LEVEL_info);
	assert_int_equal(level_of(&context, NULL, NULL, &null, 1), LEVEL_info);
	context.text = BINLOG_TEXT_CHARACTER;
	assert_int_equal(
		level_of(&context, NULL, NULL, &number, 1), LEVEL_info);
}

static void syslog_and_events_do_not_ask_the_text(void **state)
{
	struct render_argument arguments[] = {
		{.kind = BINLOG_ARG_I32, .i32 = LOG_DAEMON | LOG_NOTICE},
		{.kind = BINLOG_ARG_I32},
		{.kind = BINLOG_ARG_I32},
		{.kind = BINLOG_ARG_STRING, .null = true},
	};
	struct definition_context syslog = {.text = BINLOG_TEXT_SYSLOG};
	struct definition_context event = {.text = BINLOG_EVENT_FIRST};

	(void)state;
	assert_int_equal(level_of(&syslog, "error: x", NULL, arguments,
				 LENGTH(arguments)),
		LEVEL_notice);
	assert_int_equal(
		level_of(&event, "error: x", "perror", NULL, 0), LEVEL_info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			who_said_it_counts_where_the_text_says_nothing),
		cmocka_unit_test(standard_error_is_a_warning),
		cmocka_unit_test(a_text_without_a_format_says_it_itself),
		cmocka_unit_test(syslog_and_events_do_not_ask_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
