#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "decoder/output/text_cut.h"
#include "base/text_width.h"

#define WIDE "\xe6\x97\xa5" /* takes two columns */
#define ACCENT "\xcc\x81"   /* combines with what is before */
#define NARROW "\xc3\xa9"   /* takes one */
#define TEXT "a" NARROW WIDE "e" ACCENT WIDE "z" ACCENT ACCENT "b"
#define MARK "\xe2\x80\xa6"

static void columns_are_those_of_a_terminal(void **state)
{
	(void)state;
	assert_int_equal(text_width("plain", 5), 5);
	assert_int_equal(text_width(WIDE, 3), 2);
	assert_int_equal(text_width("e" ACCENT, 3), 1);
	assert_int_equal(text_width(TEXT, sizeof(TEXT) - 1), 9);
	assert_int_equal(text_width("\xff\xfe", 2), 2);
}

static int is_whole(const char *text, size_t at)
{
	return ((unsigned char)text[at] & 0xc0) != 0x80;
}

/* All ways to cut it are tried: what is right is told by text_width(). */
static void of_the_head_as_much_fits_as_can(void **state)
{
	const char text[] = TEXT;
	const size_t bytes = sizeof(text) - 1;
	size_t columns, at;

	(void)state;
	for (columns = 0; columns < 12; columns++) {
		size_t most = 0;

		for (at = 1; at <= bytes; at++)
			if (is_whole(text, at) &&
				text_width(text, at) <= columns)
				most = at;
		assert_int_equal(text_width_head(text, bytes, columns), most);
	}
}

static void of_the_tail_as_much_fits_as_can_and_no_accent_is_first(void **state)
{
	const char text[] = TEXT;
	const size_t bytes = sizeof(text) - 1;
	size_t columns, at;

	(void)state;
	for (columns = 0; columns < 12; columns++) {
		size_t most = 0;

		for (at = bytes; at-- > 0;)
			if (is_whole(text, at) &&
				strncmp(text + at, ACCENT, 2) != 0 &&
				text_width(text + at, bytes - at) <= columns)
				most = bytes - at;
		assert_int_equal(text_width_tail(text, bytes, columns), most);
	}
}

static void check(struct render_buffer *out, const char *wanted)
{
	assert_int_equal(out->length, strlen(wanted));
	assert_memory_equal(out->data, wanted, out->length);
	render_buffer_free(out);
}

static void a_cut_text_has_its_mark_within_the_width(void **state)
{
	struct render_buffer out = {0};

	(void)state;
	setenv("LC_ALL", "C.UTF-8", 1);
	text_cut_put(&out, "abcdef", 6, 6);
	check(&out, "abcdef");
	text_cut_put(&out, "abcdef", 6, 5);
	check(&out, "abcd" MARK);
	text_cut_put(&out, WIDE WIDE WIDE, 9, 4);
	check(&out, WIDE MARK);
	text_cut_put_end(&out, "abcdef", 6, 5);
	check(&out, MARK "cdef");
	setenv("LC_ALL", "C", 1);
	text_cut_put(&out, "abcdef", 6, 5);
	check(&out, "ab...");
	text_cut_put(&out, "abcdef", 6, 2);
	check(&out, "abcdef");
}

static void each_line_is_cut_by_itself(void **state)
{
	struct render_buffer out = {0};

	(void)state;
	setenv("LC_ALL", "C", 1);
	render_buffer_put_string(&out, "before it\nlong enough\n\nshort\n");
	text_cut_lines(&out, 10, 8);
	check(&out, "before it\nlong ...\n\nshort\n");
	render_buffer_put_string(&out, "long enough");
	text_cut_lines(&out, 0, 0);
	check(&out, "long enough");
}

static void words_go_on_below(void **state)
{
	struct render_buffer out = {0};

	(void)state;
	setenv("LC_ALL", "C", 1);
	render_buffer_put_string(&out, "    one two three\nfour");
	text_cut_wrap(&out, 0, 12, 2);
	check(&out, "    one two\n  three\nfour");
	render_buffer_put_string(&out, "a wordthatistoolong b");
	text_cut_wrap(&out, 0, 10, 2);
	check(&out, "a\n  wordt...\n  b");
}

static void tabs_take_the_columns_that_they_lead_over(void **state)
{
	struct render_buffer out = {0};

	(void)state;
	setenv("LC_ALL", "C", 1);
	render_buffer_put_string(&out, "a\t" WIDE "c\td\nlongword\te");
	text_cut_lines(&out, 0, 16);
	check(&out, "a       " WIDE "c  ...\nlongword     ...");
	render_buffer_put_string(&out, "a\tbcd\te");
	text_cut_wrap(&out, 0, 10, 2);
	check(&out, "a\n  bcd\n  e");
}

/* Trying each length anew would take days. */
static void a_name_of_accents_is_looked_at_once(void **state)
{
	const size_t accents = 450000;
	struct render_buffer text = {0};
	struct render_buffer out = {0};
	size_t i;

	(void)state;
	render_buffer_fill(&text, 'x', 50);
	for (i = 0; i < accents; i++)
		render_buffer_put_string(&text, ACCENT);
	render_buffer_fill(&text, 'y', 50);
	text_cut_put(&out, text.data, text.length, 20);
	check(&out, "xxxxxxxxxxxxxxxxx...");
	text_cut_put_end(&out, text.data, text.length, 20);
	check(&out, "...yyyyyyyyyyyyyyyyy");
	assert_int_equal(
		text_width_head(text.data, text.length, 50), text.length - 50);
	assert_int_equal(text_width_tail(text.data, text.length, 50), 50);
	render_buffer_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_those_of_a_terminal),
		cmocka_unit_test(of_the_head_as_much_fits_as_can),
		cmocka_unit_test(
			of_the_tail_as_much_fits_as_can_and_no_accent_is_first),
		cmocka_unit_test(a_cut_text_has_its_mark_within_the_width),
		cmocka_unit_test(each_line_is_cut_by_itself),
		cmocka_unit_test(words_go_on_below),
		cmocka_unit_test(tabs_take_the_columns_that_they_lead_over),
		cmocka_unit_test(a_name_of_accents_is_looked_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
