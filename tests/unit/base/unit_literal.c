#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>
#include <cmocka.h>

#include "base/literal.h"

static void check(struct render_buffer *out, const char *wanted)
{
	assert_int_equal(out->length, strlen(wanted));
	assert_memory_equal(out->data, wanted, out->length);
	render_buffer_free(out);
}

static void what_c_has_a_letter_for_is_written_with_it(void **state)
{
	struct render_buffer out = {0};

	(void)state;
	literal_put(&out, "\a\b\t\n\v\f\r\"\\", 9);
	check(&out, "\"\\a\\b\\t\\n\\v\\f\\r\\\"\\\\\"");
}

static void other_control_characters_are_numbers(void **state)
{
	struct render_buffer out = {0};

	(void)state;
	literal_put(&out, "\x1b[1m\0\xff", 6);
	check(&out, "\"\\x1b[1m\\x00\\xff\"");
}

static void utf_8_and_directives_stay_as_they_are(void **state)
{
	struct render_buffer out = {0};

	(void)state;
	literal_put(&out, "%5.2f \xc3\xa9", 8);
	check(&out, "\"%5.2f \xc3\xa9\"");
}

static void wide_text_becomes_utf_8(void **state)
{
	const wchar_t text[] = L"%d \u20ac\n";
	struct render_buffer out = {0};

	(void)state;
	literal_put_wide(&out, text, sizeof(text) - sizeof(*text));
	check(&out, "L\"%d \xe2\x82\xac\\n\"");
}

static void nothing_is_a_pair_of_quotes(void **state)
{
	struct render_buffer out = {0};

	(void)state;
	literal_put(&out, NULL, 0);
	check(&out, "\"\"");
}

static void a_start_is_of_whole_characters_and_marked(void **state)
{
	struct render_buffer out = {0};

	(void)state;
	literal_put_start(&out, "one two", 7, 7);
	check(&out, "\"one two\"");
	literal_put_start(&out, "one two", 7, 3);
	check(&out, "\"one\"...");
	literal_put_start(&out, "a\xc3\xa9z", 4, 2);
	check(&out, "\"a\"...");
	literal_put_start(&out, "a\xc3\xa9z", 4, 3);
	check(&out, "\"a\xc3\xa9\"...");
	literal_put_start(&out, "a\xc3\xa9", 3, 3);
	check(&out, "\"a\xc3\xa9\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_c_has_a_letter_for_is_written_with_it),
		cmocka_unit_test(other_control_characters_are_numbers),
		cmocka_unit_test(utf_8_and_directives_stay_as_they_are),
		cmocka_unit_test(wide_text_becomes_utf_8),
		cmocka_unit_test(nothing_is_a_pair_of_quotes),
		cmocka_unit_test(a_start_is_of_whole_characters_and_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
