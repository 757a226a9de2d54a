/* Arguments as name(value): libc itself says what the values are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/capture/named_text.h"
#include "record/layout.h"

static struct definition_string string_of(const char *text)
{
	return (struct definition_string){
		.bytes = text, .length = strlen(text)};
}

static struct render_argument number(int32_t value)
{
	return (struct render_argument){.kind = BINLOG_ARG_I32, .i32 = value};
}

static struct render_argument text(const char *value)
{
	return (struct render_argument){.kind = BINLOG_ARG_STRING,
		.data = value,
		.bytes = (uint32_t)strlen(value)};
}

static void check(const char *format, const struct render_argument *arguments,
	size_t count, const char *expected)
{
	const struct definition_string string = string_of(format);
	struct render_buffer out = {0};

	assert_true(named_text_put(&out, &string, arguments, count));
	assert_int_equal(out.length, strlen(expected));
	assert_memory_equal(out.data, expected, out.length);
	render_buffer_free(&out);
}

static void a_value_is_what_libc_prints_without_padding(void **state)
{
	static const char *const directives[] = {"%d", "%+d", "% d", "%u", "%x",
		"%#x", "%o", "%08x", "%.3d", "%c", "%hhd", "%hu", "%+08d"};
	static const int values[] = {0, 1, -1, 65, 4096, INT32_MIN, INT32_MAX};
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(directives) / sizeof(directives[0]); i++) {
		for (j = 0; j < sizeof(values) / sizeof(values[0]); j++) {
			struct render_argument argument = number(values[j]);
			char value[64];
			char expected[96];

			if (strchr(directives[i], 'c') && values[j] != 65)
				continue;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(
				value, sizeof(value), directives[i], values[j]);
#pragma GCC diagnostic pop
			snprintf(expected, sizeof(expected), "arg1(%s)", value);
			check(directives[i], &argument, 1, expected);
		}
	}
}

static void padding_is_left_out(void **state)
{
	const struct render_argument three[] = {
		number(20), number(2), text("text")};
	const struct render_argument one = number(7);

	(void)state;
	check("n=%5d|", &one, 1, "n(7)|");
	check("n=%-5d|", &one, 1, "n(7)|");
	check("%*.*s|", three, 3, "arg3(te)|");
}

static void numbers_of_arguments_are_those_of_the_call(void **state)
{
	const struct render_argument two[] = {text("a"), text("b")};

	(void)state;
	check("%2$s %1$s", two, 2, "arg2(b) arg1(a)");
	check("x %2$s y %1$s", two, 2, "x(b) y(a)");
}

static void what_does_not_fit_is_not_said(void **state)
{
	static const char *const formats[] = {"%d %d", "%s", "%", "%d %", "%y"};
	const struct render_argument one = number(7);
	struct render_buffer out = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		const struct definition_string string = string_of(formats[i]);

		assert_false(named_text_put(&out, &string, &one, 1));
		assert_false(named_text_put_arguments(&out, &string, &one, 1));
		assert_int_equal(out.length, 0);
	}
}

static void the_arguments_alone_have_no_text_between_them(void **state)
{
	const struct render_argument two[] = {number(5), text("eth0")};
	const struct definition_string string =
		string_of("sent size=%d bytes to \"%s\", 100%%\n");
	struct render_buffer out = {0};

	(void)state;
	assert_true(named_text_put_arguments(&out, &string, two, 2));
	assert_int_equal(out.length, strlen("size(5) to(eth0)"));
	assert_memory_equal(out.data, "size(5) to(eth0)", out.length);
	render_buffer_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_is_what_libc_prints_without_padding),
		cmocka_unit_test(padding_is_left_out),
		cmocka_unit_test(numbers_of_arguments_are_those_of_the_call),
		cmocka_unit_test(what_does_not_fit_is_not_said),
		cmocka_unit_test(the_arguments_alone_have_no_text_between_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
