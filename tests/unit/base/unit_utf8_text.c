#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8_read.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define BYTES(literal) literal, sizeof(literal) - 1

static void what_is_no_utf8_is_escaped_and_nul_too(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *text;
	} cases[] = {
		{BYTES(""), ""},
		{BYTES("plain \xc3\xa4 \xe2\x82\xac"),
			"plain \xc3\xa4 \xe2\x82\xac"},
		{BYTES("a\0b"), "a\\x00b"},
		{BYTES("\xff"
		       "a\xc3"),
			"\\xffa\\xc3"},
		{BYTES("\xc3\xa4\0"), "\xc3\xa4\\x00"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		struct render_buffer out = {0};

		utf8_text_put(&out, cases[i].bytes, cases[i].size);
		assert_int_equal(out.length, strlen(cases[i].text));
		if (out.length > 0)
			assert_memory_equal(
				out.data, cases[i].text, out.length);
		render_buffer_free(&out);
	}
}

static void a_part_ends_before_a_character_that_has_no_room(void **state)
{
	static const char text[] = "a\xc3\xa4\xe2\x82\xac.";
	static const size_t fits[] = {0, 1, 1, 3, 3, 3, 6, 7, 7};
	size_t most;

	(void)state;
	for (most = 0; most < LENGTH(fits); most++)
		assert_int_equal(utf8_text_fit(text, sizeof(text) - 1, most),
			fits[most]);
	assert_int_equal(utf8_text_fit("\x80\x80\x80", 3, 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_utf8_is_escaped_and_nul_too),
		cmocka_unit_test(
			a_part_ends_before_a_character_that_has_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
