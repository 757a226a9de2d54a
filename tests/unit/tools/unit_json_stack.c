#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/frames/json_stack.h"

static struct json_span stack;
static struct render_buffer out;

static bool find(const char *line)
{
	return json_stack_find(line, strlen(line), &stack);
}

static struct json_reader frames_of(const char *line)
{
	assert_true(find(line));
	assert_non_null(stack.text);
	return (struct json_reader){
		.at = stack.text, .end = stack.text + stack.bytes};
}

static void assert_span(const struct json_span *span, const char *wanted)
{
	assert_int_equal(span->bytes, strlen(wanted));
	assert_memory_equal(span->text, wanted, span->bytes);
}

static void assert_string(const char *text, const char *wanted)
{
	const struct json_span string = {text, strlen(text)};

	out.length = 0;
	assert_true(json_stack_string(&string, &out));
	assert_int_equal(out.length, strlen(wanted));
	assert_memory_equal(render_buffer_from(&out, 0), wanted, out.length);
}

static void the_stack_of_a_message_is_found(void **state)
{
	(void)state;
	assert_true(find("{\"a\":[{\"stack\":[1]}],\"stack\":[2,3],\"b\":{}}"));
	assert_span(&stack, "2,3");
	assert_true(find("{\"a\":\"\\\",\\\"stack\\\":[1]\"}"));
	assert_null(stack.text);
	assert_true(find("{\"stack\":{}}"));
	assert_null(stack.text);
}

static void frames_are_told_one_by_one(void **state)
{
	struct json_reader left = frames_of(
		"{\"stack\":[{\"module\":\"a\",\"address\":\"0x1f\","
		"\"inlined\":true} , 7, {\"line\":3,\"tail_call\":true},"
		"{\"line\":0}]}");
	struct json_frame frame;
	uint64_t number;

	(void)state;
	assert_true(json_stack_next(&left, &frame));
	assert_span(&frame.module, "\"a\"");
	assert_true(json_stack_number(&frame.address, &number));
	assert_int_equal(number, 0x1f);
	assert_true(frame.inlined);
	assert_false(frame.jumped);
	assert_false(frame.has_line);
	assert_true(json_stack_next(&left, &frame));
	assert_null(frame.module.text);
	assert_false(json_stack_number(&frame.address, &number));
	assert_false(frame.inlined);
	assert_true(frame.jumped);
	assert_true(frame.has_line);
	assert_true(json_stack_next(&left, &frame));
	assert_false(frame.has_line);
	assert_false(json_stack_next(&left, &frame));
}

static void what_names_do_not_fill_stays(void **state)
{
	struct json_reader left =
		frames_of("{\"stack\":[{\"function\":\"f\", \"x\" : [1, 2],"
			  "\"line\":1,\"file\":\"g\",\"module\":\"a\"}]}");
	struct json_frame frame;

	(void)state;
	assert_true(json_stack_next(&left, &frame));
	out.length = 0;
	json_stack_put_rest(&frame, &out);
	assert_int_equal(out.length, strlen("\"x\":[1, 2],\"module\":\"a\""));
	assert_memory_equal(
		out.data, "\"x\":[1, 2],\"module\":\"a\"", out.length);
}

static void strings_are_read_as_json_has_them(void **state)
{
	(void)state;
	assert_string("\"\"", "");
	assert_string("\"a\\\"\\\\\\/\\n\\t\\r\\b\\fz\"", "a\"\\/\n\t\r\b\fz");
	assert_string("\"\\u0041\\u00e4\\u20AC\\ud83d\\ude00\"",
		"A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
}

static void what_is_no_string_is_refused(void **state)
{
	static const char *const wrong[] = {"7", "null", "\"\\x\"", "\"\\u12\"",
		"\"\\u000g\"", "\"\\u0000\"", "\"\\ud83d\"",
		"\"\\ud83dx\\ude00\"", "\"\\ude00\"", "\"\\ud83d\\u0041\""};
	const struct json_span none = {0};

	(void)state;
	assert_false(json_stack_string(&none, &out));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(json_stack_string(
			&(struct json_span){wrong[i], strlen(wrong[i])}, &out));
}

static void numbers_have_64_bits(void **state)
{
	static const char *const wrong[] = {"\"0x\"", "\"\"", "\"12\"",
		"\"0x1g\"", "-1", "1.5", "null", "1f",
		"\"0x10000000000000000\"", "18446744073709551616"};
	static const char *const most[] = {
		"\"0xffffFFFFffffFFFF\"", "18446744073709551615"};
	uint64_t number;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(json_stack_number(
			&(struct json_span){wrong[i], strlen(wrong[i])},
			&number));
	for (size_t i = 0; i < 2; i++) {
		number = 0;
		assert_true(json_stack_number(
			&(struct json_span){most[i], strlen(most[i])},
			&number));
		assert_true(number == UINT64_MAX);
	}
}

static void what_is_no_object_is_refused(void **state)
{
	static const char *const wrong[] = {"", "{", "}", "[]", "{]", "{}}",
		"{} x", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
		"{\"a\":1 \"b\":2}", "{\"a\":[1,]}", "{\"a\":[1 2]}",
		"{\"a\":[}", "{\"a\":\"", "{\"a\":\"\\", "{1:2}", "{\"a\":#}"};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(find(wrong[i]));
}

static void nesting_is_bounded(void **state)
{
	char line[2 * JSON_STACK_DEPTH + 16] = "{\"a\":";
	char *at = line + strlen(line);

	(void)state;
	memset(at, '[', JSON_STACK_DEPTH - 1);
	memset(at + JSON_STACK_DEPTH - 1, ']', JSON_STACK_DEPTH - 1);
	strcpy(at + (size_t)2 * (JSON_STACK_DEPTH - 1), "}");
	assert_true(find(line));
	memset(at, '[', JSON_STACK_DEPTH);
	memset(at + JSON_STACK_DEPTH, ']', JSON_STACK_DEPTH);
	strcpy(at + (size_t)2 * JSON_STACK_DEPTH, "}");
	assert_false(find(line));
}

static int free_out(void **state)
{
	(void)state;
	render_buffer_free(&out);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_stack_of_a_message_is_found),
		cmocka_unit_test(frames_are_told_one_by_one),
		cmocka_unit_test(what_names_do_not_fill_stays),
		cmocka_unit_test(strings_are_read_as_json_has_them),
		cmocka_unit_test(what_is_no_string_is_refused),
		cmocka_unit_test(numbers_have_64_bits),
		cmocka_unit_test(what_is_no_object_is_refused),
		cmocka_unit_test(nesting_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, free_out);
}
