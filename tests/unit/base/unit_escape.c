#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <locale.h>

#include <cmocka.h>

#include "base/escape.h"
#include "tests/unit/world/inject_faults.h"

static void expect(const char *text, size_t size, const char *escaped)
{
	struct render_buffer out = {0};

	escape_put(&out, text, size, 2);
	render_buffer_put_byte(&out, '\0');
	assert_string_equal(out.data, escaped);
	render_buffer_free(&out);
}

static void plain_text_is_left_alone(void **state)
{
	const char text[] =
		"tab\tand \\ and \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80";

	(void)state;
	expect(text, sizeof(text) - 1, text);
	expect("", 0, "");
}

static void controls_are_shown_as_numbers(void **state)
{
	(void)state;
	expect("\x1b[31m", 5, "\\x1b[31m");
	expect("a\r\b\0z\x7f", 6, "a\\x0d\\x08\\x00z\\x7f");
	expect("\xc2\x9b", 2, "\\xc2\\x9b");
	expect("\x9b", 1, "\\x9b");
	expect("\xe2\x80\xae", 3, "\\xe2\\x80\\xae");
	expect("\xe2\x81\xa6", 3, "\\xe2\\x81\\xa6");
	expect("\xd8\x9c", 2, "\\xd8\\x9c");
	expect("\xe2\x80\xa8", 3, "\\xe2\\x80\\xa8");
	expect("\xef\xbb\xbf", 3, "\\xef\\xbb\\xbf");
	expect("\xf3\xa0\x81\xa1", 4, "\\xf3\\xa0\\x81\\xa1");
}

static void what_is_not_utf_8_is_shown_as_numbers(void **state)
{
	(void)state;
	expect("\xc3", 1, "\\xc3");
	expect("\xc0\xaf", 2, "\\xc0\\xaf");
	expect("\xe0\x80\x80", 3, "\\xe0\\x80\\x80");
	expect("\xe0\x82\xa9", 3, "\\xe0\\x82\\xa9");
	expect("\xed\xa0\x80", 3, "\\xed\\xa0\\x80");
	expect("\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80");
	expect("\xff\xfe", 2, "\\xff\\xfe");
}

/* As `byte` is shown in the midst of letters. */
static size_t write_shown(char *to, unsigned char byte)
{
	if ((byte >= ' ' && byte < 0x7f) || byte == '\t') {
		*to = (char)byte;
		return 1;
	}
	return (size_t)sprintf(to, byte == '\n' ? "\n  " : "\\x%02x", byte);
}

/* One byte of each kind at each place of texts of several words. */
static void a_byte_is_seen_wherever_it_stands(void **state)
{
	static const unsigned char bytes[] = {0, 1, '\t', '\n', 0x1f, ' ', '~',
		0x7f, 0x80, 0x9f, 0xa0, 0xdf, 0xff};
	char shown[64];
	char text[40];
	size_t size, place, i, n;

	(void)state;
	memset(text, 'a', sizeof(text));
	for (size = 1; size <= sizeof(text); size++)
		for (place = 0; place < size; place++)
			for (i = 0; i < sizeof(bytes); i++) {
				text[place] = (char)bytes[i];
				memset(shown, 'a', place);
				n = place +
				    write_shown(shown + place, bytes[i]);
				memset(shown + n, 'a', size - place - 1);
				shown[n + size - place - 1] = '\0';
				expect(text, size, shown);
				text[place] = 'a';
			}
}

static void lines_after_the_first_are_indented(void **state)
{
	struct render_buffer out = {0};

	(void)state;
	expect("a\nb\n", 4, "a\n  b\n  ");
	escape_put(&out, "a\nb", 3, ESCAPE_NEWLINE);
	assert_int_equal(out.length, 6);
	assert_memory_equal(out.data, "a\\x0ab", 6);
	render_buffer_free(&out);
}

/* libc's decoder is the judge of what comes out. */
static void assert_harmless(const struct render_buffer *out)
{
	mbstate_t shift = {0};
	size_t at = 0;

	while (at < out->length) {
		wchar_t character;
		size_t n = mbrtowc(
			&character, out->data + at, out->length - at, &shift);

		assert_true(n > 0 && n <= 4);
		assert_true(character >= ' ' || character == '\t' ||
			    character == '\n');
		assert_false(character >= 0x7f && character < 0xa0);
		at += n;
	}
}

static void no_two_bytes_reach_a_terminal_as_a_control(void **state)
{
	unsigned i;

	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	for (i = 0; i < 65536; i++) {
		struct render_buffer out = {0};
		const char two[] = {(char)(i >> 8), (char)i};

		escape_put(&out, two, 2, 0);
		assert_harmless(&out);
		render_buffer_free(&out);
	}
	setlocale(LC_CTYPE, "C");
}

static void without_memory_nothing_is_put_and_that_is_told(void **state)
{
	struct render_buffer out = {0};

	(void)state;
	inject_begin(INJECT_MEMORY, 0, true);
	escape_put(&out, "a\nb", 3, 2);
	inject_end();
	assert_int_equal(out.length, 0);
	assert_true(out.failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_is_left_alone),
		cmocka_unit_test(controls_are_shown_as_numbers),
		cmocka_unit_test(what_is_not_utf_8_is_shown_as_numbers),
		cmocka_unit_test(a_byte_is_seen_wherever_it_stands),
		cmocka_unit_test(lines_after_the_first_are_indented),
		cmocka_unit_test(no_two_bytes_reach_a_terminal_as_a_control),
		cmocka_unit_test(
			without_memory_nothing_is_put_and_that_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
