#include <stdarg.h>
#include <setjmp.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "tests/unit/world/render_check.h"

static bool libc_knows(const char *format)
{
	return !strpbrk(format, "bB") || libc_has(libc_here(), LIBC_BINARY);
}

static void integers_look_as_in_libc(void **state)
{
	static const char *const formats[] = {"%d", "%i", "%u", "%x", "%X",
		"%o", "%b", "%B", "%#x", "%#X", "%#o", "%#b", "%#B", "%+d",
		"% d", "%+ d", "%+u", "% x", "%8d|", "%-8d|", "%08d|", "%-08d|",
		"%0-8d|", "%.0d|", "%.d|", "%.5d|", "%8.5d|", "%-8.5d|",
		"%08.5d|", "%+08d|", "% 08d|", "%#8x|", "%#-8x|", "%#08x|",
		"%#.5x|", "%#12.5x|", "%#.0x|", "%#.0o|", "%#.5o|", "%#8.3o|",
		"%#08o|", "%hhd", "%hhu", "%hhx", "%hd", "%hu", "%ho", "%'d",
		"%Id", "%#034b", "%.40b", "%Z%"};
	static const int32_t values[] = {0, 1, -1, 7, 8, -8, 42, 127, 128, 255,
		256, -128, 32767, 32768, 65535, 65536, INT32_MAX, INT32_MIN};
	size_t f;
	size_t v;

	(void)state;
	for (f = 0; f < LENGTH(formats); f++)
		for (v = 0; v < LENGTH(values) && libc_knows(formats[f]); v++)
			SAME(formats[f], I(values[v]));
}

static void long_integers_look_as_in_libc(void **state)
{
	static const char *const formats[] = {"%ld", "%lld", "%qd", "%Ld",
		"%jd", "%zd", "%td", "%lu", "%lx", "%#lX", "%lo", "%lb",
		"%30ld|", "%-30ld|", "%030ld|", "%.25ld|", "%p", "%30p|",
		"%-30p|", "%030p|", "%.20p|", "%+p", "% p", "%#p", "%'p", "%hp",
		"%.2p|", "%10.7p|", "%010p|"};
	static const int64_t values[] = {0, 1, -1, 9, 10, 99, 100, 12345678901,
		-12345678901, INT64_MAX, INT64_MIN, 0x7ffc12345678};
	size_t f;
	size_t v;

	(void)state;
	for (f = 0; f < LENGTH(formats); f++)
		for (v = 0; v < LENGTH(values) && libc_knows(formats[f]); v++)
			SAME(formats[f], L(values[v]));
}

static void strings_look_as_in_libc(void **state)
{
	(void)state;
	SAME("%s|%10s|%-10s|%.2s|%10.2s|%.0s|%05s|", S("abc"), S("abc"),
		S("abc"), S("abc"), S("abc"), S("abc"), S("abc"));
	SAME("%s|%5s|%.5s|%.6s|%.7s|%10s|%-10s|", NULL_S, NULL_S, NULL_S,
		NULL_S, NULL_S, NULL_S, NULL_S);
	SAME("%ls|%.5ls|%.6ls|%10ls|%S", NULL_W, NULL_W, NULL_W, NULL_W,
		NULL_W);
	SAME("%ls|%20ls|%-20ls|%S", MIXED, MIXED, MIXED, MIXED);
	SAME("%.0ls|%.1ls|%.2ls|%.3ls|%.5ls|%.6ls|%.10ls|%8.5ls|%-8.5ls|",
		MIXED, MIXED, MIXED, MIXED, MIXED, MIXED, MIXED, MIXED, MIXED);
	SAME("%hs %hhs %s", S("h"), S("hh"), S("\xff\xfe"));
	SAME("%c%3c|%-3c|%03c|%hhc%hc", I('a'), I('b'), I(0x163), I('d'),
		I('e'), I('f'));
	SAME("%lc%C%5lc|%-5lc|%lc", I('a'), I(0xe4), I(0x20ac), I(0x1f600),
		I(0x7fffffff));
}

static void a_zero_character_is_printed(void **state)
{
	static const struct render_argument zero = I(0);
	struct render_buffer out = {0};

	(void)state;
	assert_int_equal(render_format(&out, "a%cb%lc", 7, &zero, 1, NULL, 0),
		RENDER_MISMATCH);
	assert_int_equal(out.length, 6);
	assert_memory_equal(out.data, "a\0b%lc", 6);
	render_buffer_free(&out);
}

static void errno_looks_as_in_libc(void **state)
{
	static const char *const formats[] = {"%m", "%30m|", "%-30m|", "%.4m",
		"%#m", "%#10m|", "%#.2m", "%+#m", "%#010m|", "%lm", "%m%m%%"};
	size_t f;
	int error;

	(void)state;
	for (f = 0; f < LENGTH(formats); f++) {
		for (error = -2; error < 140; error++)
			SAME(formats[f], I(error));
		SAME(formats[f], I(INT32_MIN));
		SAME(formats[f], I(INT32_MAX));
	}
	SAME("%d %m %s", I(5), S("x"), I(2));
	SAME("%2$s %m %1$d", I(5), S("x"), I(2));
}

static void stars_numbers_and_odd_directives_look_as_in_libc(void **state)
{
	(void)state;
	SAME("%*d|%*d|%-*d|%0*d|", I(5), I(42), I(-5), I(42), I(-5), I(42),
		I(-5), I(42));
	SAME("%.*d|%.*d|%.*s|%.*s|", I(5), I(42), I(-5), I(42), I(2), S("abc"),
		I(-1), S("abc"));
	SAME("%*.*f|%-*.*e|", I(12), I(3), D(2.5), I(12), I(-3), D(2.5));
	SAME("%2$s %1$d %2$s", I(7), S("two"));
	SAME("%3$*1$.*2$f|%3$-*1$.*2$g|", I(12), I(3), D(2.75));
	SAME("%1$Ld %1$qx", I(-1));
	SAME("%hs %Ld", S("x"), I(-1));
	SAME("%5%%-5%%.%% %%5.3%%l%%h%", I(0));
	SAME("%*%%*d|", I(5), I(6), I(7));
	SAME("%hd%n%hhn%d", I(1), L((intptr_t)expected + TEXT_BYTES - 8),
		L((intptr_t)expected + TEXT_BYTES - 8), I(3));
	/* In glibc the zeros end up behind these numbers. */
	SAME("%2$0*1$f|%2$0*1$e|%2$0*1$g|%2$0*1$a|", I(-20), D(1.5));
	SAME("%0*f|%0*a|", I(-20), D(1.5), I(-20), D(1.5));
	SAME("%2$0*1$f|%2$0*1$a|", I(-20), D(INFINITY));
}

static void groups_follow_the_locale(void **state)
{
	static const struct render_locale english = {".", ",", "\3\3"};
	static const struct render_locale indian = {".", ",", "\3\2"};
	static const struct render_locale once = {".", ",", "\3\177"};
	static const struct render_locale end = {".", ",", "\3\377"};
	static const struct render_locale none = {".", "", "\3"};
	static const struct render_locale french = {",", "\xe2\x80\xaf", "\3"};

	(void)state;
	RENDERS("1,234,567|123|1234|-1,000|", 0, &english, "%'d|%'d|%d|%'d|",
		I(1234567), I(123), I(1234), I(-1000));
	RENDERS("  1,234|0001,234|001,234|", 0, &english, "%'7d|%'08d|%'.7d|",
		I(1234), I(1234), I(1234));
	RENDERS("12,34,56,789|", 0, &indian, "%'d|", I(123456789));
	RENDERS("1234567,890|", 0, &once, "%'d|", I(1234567890));
	RENDERS("1234567,890|", 0, &end, "%'d|", I(1234567890));
	RENDERS("1234567|1234567.00", 0, &none, "%'d|%'.2f", I(1234567),
		D(1234567));
	RENDERS("1,234,567.50|1,000|1e+06|1,235e", 0, &english,
		"%'.2f|%'.0f|%'g|%'.4ge", D(1234567.5), D(999.5), D(1e6),
		D(1234.56));
	/* Of an integer the bytes are counted, of a float the columns. */
	RENDERS(" 1\xe2\x80\xaf"
		"234|   1\xe2\x80\xaf"
		"234,5|0,5",
		0, &french, "%'8d|%'10.1f|%.1f", I(1234), D(1234.5), D(0.5));
}

static void a_missing_or_other_argument_leaves_the_rest_verbatim(void **state)
{
	(void)state;
	RENDERS("1 %d|", RENDER_MISMATCH, NULL, "%d %d|", I(1));
	RENDERS("1 %s %d|", RENDER_MISMATCH, NULL, "%d %s %d|", I(1), I(2),
		I(3));
	RENDERS("%ld", RENDER_MISMATCH, NULL, "%ld", I(1));
	RENDERS("%d", RENDER_MISMATCH, NULL, "%d", L(1));
	RENDERS("%Lf", RENDER_MISMATCH, NULL, "%Lf", D(1));
	RENDERS("%Lf", RENDER_MISMATCH, NULL, "%Lf",
		{.kind = BINLOG_ARG_LONG_DOUBLE});
	RENDERS("%f", RENDER_MISMATCH, NULL, "%f", S("x"));
	RENDERS("%ls", RENDER_MISMATCH, NULL, "%ls", S("x"));
	RENDERS("%*d", RENDER_MISMATCH, NULL, "%*d", S("x"), I(1));
	RENDERS("%.*d", RENDER_MISMATCH, NULL, "%.*d", I(1));
	RENDERS("%n", RENDER_MISMATCH, NULL, "%n", I(1));
	RENDERS("%2147483647$d", RENDER_MISMATCH, NULL, "%2147483647$d", I(1));
	RENDERS("1 %m", RENDER_MISMATCH, NULL, "%d %m", I(1));
	RENDERS("x", RENDER_COMPLETE, NULL, "%s", S("x"), I(1));
	RENDERS("(null)", RENDER_COMPLETE, NULL, "%s",
		{.kind = BINLOG_ARG_STRING, .bytes = 100});
}

static void an_undefined_piece_leaves_the_rest_verbatim(void **state)
{
	(void)state;
	RENDERS("1 %y %d", RENDER_UNDEFINED, NULL, "%d %y %d", I(1), I(2));
	RENDERS("1 %", RENDER_UNDEFINED, NULL, "%d %", I(1));
	RENDERS("%2147483648d", RENDER_UNDEFINED, NULL, "%2147483648d", I(1));
}

/* Libc converts portions of 256 bytes; one with an error is not printed. */
static void what_is_no_character_ends_the_text_as_in_libc(void **state)
{
	static const char *const formats[] = {"x%lsy", "x%20lsy", "x%-20lsy",
		"x%20.999lsy", "x%-20.999lsy", "x%999lsy", "x%.999lsy"};
	static const uint32_t fillers[] = {'a', 0xe4, 0x20ac};
	static _Alignas(16) uint64_t slots[LIBC_SLOTS];
	uint32_t text[303];
	struct render_argument broken = {.kind = BINLOG_ARG_WIDE, .data = text};
	size_t n;
	size_t i;

	(void)state;
	for (n = 0; n < LENGTH(formats) * LENGTH(fillers) * 300; n += 5) {
		size_t size = n / LENGTH(formats) / LENGTH(fillers);

		for (i = 0; i < size; i++)
			text[i] =
				i == 0 ? 'a' : fillers[n / LENGTH(formats) % 3];
		memcpy(text + size, (uint32_t[]){0xd800, 'z', 0}, 12);
		broken.bytes = (uint32_t)(4 * size + 8);
		libc_print_fill(slots, &broken, 1);
		assert_int_equal(
			libc_print_slots(expected, sizeof(expected),
				formats[n % LENGTH(formats)], slots, 0),
			-1);
		assert_renders(expected, RENDER_BROKEN, NULL,
			formats[n % LENGTH(formats)], &broken, 1);
	}
	SAME("x%.3lsy", W(L"abc\xd800zz"));
	RENDERS("x", RENDER_BROKEN, NULL, "x%lcy", I(0xd800));
	RENDERS("x", RENDER_BROKEN, NULL, "x%5lcy", I(-1));
}

struct giant_case {
	const char *format;
	struct render_argument argument;
};

static void giants_are_cut(void **state)
{
	static const struct giant_case cases[] = {{"%2147483640f|", D(1.5)},
		{"%.2147483640f|", D(1.5)}, {"%.2147483640e|", D(1.5)},
		{"%#.2147483640g|", D(1.5)}, {"%.2147483640a|", D(1.5)},
		{"%-2147483640d|", I(1)}, {"%02147483640d|", I(1)},
		{"%.2147483640d|", I(1)}, {"%2147483640s|", S("x")},
		{"%2147483640c|", I('x')}, {"%1$2000d%1$2000d%1$2000d|", I(1)},
		{"%1$2990d%1$30d%1$2000d|", I(1)}};
	struct render_buffer out = {.limit = 3000};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		out.length = 0;
		assert_int_equal(render_format(&out, cases[i].format,
					 strlen(cases[i].format),
					 &cases[i].argument, 1, NULL, 0),
			RENDER_CUT);
		assert_in_range(out.length, 3000, 3030);
		assert_plan_renders(&out, RENDER_CUT, cases[i].format,
			&cases[i].argument, 1);
		assert_int_equal(out.data[out.length - 1], '|');
	}
	render_buffer_free(&out);
}

static void a_string_used_again_and_again_is_cut(void **state)
{
	static const char text[] = "0123456789012345678901234567890123456789";
	const struct render_argument argument = S(text);
	struct render_buffer out = {.limit = 1000};
	char format[4000];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(format); i += 4)
		memcpy(format + i, "%1$s", 4);
	assert_int_equal(render_format(&out, format, sizeof(format), &argument,
				 1, NULL, 0),
		RENDER_CUT);
	assert_in_range(out.length, 1000, 1000 + sizeof(format) + 100);
	render_buffer_free(&out);
}

static void assert_text_of(uint32_t libc, const char *text, int outcome,
	const char *format, const struct render_argument *arguments,
	size_t count)
{
	struct render_buffer out = {0};

	assert_int_equal(render_format(&out, format, strlen(format), arguments,
				 count, NULL, libc),
		outcome);
	assert_int_equal(out.length, strlen(text));
	assert_memory_equal(render_buffer_from(&out, 0), text, strlen(text));
	render_buffer_free(&out);
}

/* That of this libc is compared with libc's own, see unit_stdio_model and
 * fuzz_render; a log may be of another. */
static void the_text_is_that_of_the_libc_that_printed(void **state)
{
	static const wchar_t wrong[] = {L'w', INT32_MIN};
	const struct render_argument number = I(ENOENT);
	const struct render_argument wide = {
		.kind = BINLOG_ARG_WIDE, .bytes = sizeof(wrong), .data = wrong};

	(void)state;
	assert_text_of(2034, "No such file or directory", RENDER_COMPLETE,
		"%#m", &number, 1);
	assert_text_of(2035, "ENOENT", RENDER_COMPLETE, "%#m", &number, 1);
	assert_text_of(0, "ENOENT", RENDER_COMPLETE, "%#m", &number, 1);
	assert_text_of(2036, "a", RENDER_BROKEN, "a%3ls", &wide, 1);
	assert_text_of(0, "a", RENDER_BROKEN, "a%3ls", &wide, 1);
	assert_text_of(2037, "a    ", RENDER_BROKEN, "a%3ls", &wide, 1);
	assert_text_of(2037, "a", RENDER_BROKEN, "a%-3ls", &wide, 1);
	assert_text_of(2037, "a", RENDER_BROKEN, "a%3.9ls", &wide, 1);
}

static void check_plan(const char *format)
{
	static const struct render_argument one = I(1);
	struct render_buffer out = {0};
	int outcome =
		render_format(&out, format, strlen(format), &one, 1, NULL, 0);

	assert_plan_renders(&out, outcome, format, &one, 1);
	render_buffer_free(&out);
}

/* Also where a format is too long for a plan, or has too many directives. */
static void a_plan_changes_no_text(void **state)
{
	char format[2000];
	int i;

	(void)state;
	for (i = 1; i < 400; i++) {
		memcpy(format + i * 4 - 4, "%1$d", 5);
		check_plan(format);
	}
	memset(format, 'x', sizeof(format));
	for (i = 1; i < 1100; i++) {
		memcpy(format + sizeof(format) - 4, "%d|", 4);
		check_plan(format + sizeof(format) - 4 - i);
	}
	check_plan("%126$d");
	check_plan("%127$d");
	check_plan("%128$d");
	check_plan("%257$d");
	check_plan("%1$d %257$d");
	check_plan("%1$d %2147483647$d");
}

static void text_is_appended(void **state)
{
	static const struct render_argument one = I(1);
	struct render_buffer out = {0};
	int i;

	(void)state;
	render_buffer_put(&out, "a", 1);
	for (i = 0; i < 1000; i++)
		assert_int_equal(
			render_format(&out, "b%d", 3, &one, 1, NULL, 0),
			RENDER_COMPLETE);
	assert_int_equal(out.length, 2001);
	assert_memory_equal(out.data, "ab1b1", 5);
	render_buffer_free(&out);
	assert_null(out.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_look_as_in_libc),
		cmocka_unit_test(long_integers_look_as_in_libc),
		cmocka_unit_test(strings_look_as_in_libc),
		cmocka_unit_test(a_zero_character_is_printed),
		cmocka_unit_test(errno_looks_as_in_libc),
		cmocka_unit_test(
			stars_numbers_and_odd_directives_look_as_in_libc),
		cmocka_unit_test(groups_follow_the_locale),
		cmocka_unit_test(
			a_missing_or_other_argument_leaves_the_rest_verbatim),
		cmocka_unit_test(an_undefined_piece_leaves_the_rest_verbatim),
		cmocka_unit_test(what_is_no_character_ends_the_text_as_in_libc),
		cmocka_unit_test(giants_are_cut),
		cmocka_unit_test(a_string_used_again_and_again_is_cut),
		cmocka_unit_test(a_plan_changes_no_text),
		cmocka_unit_test(the_text_is_that_of_the_libc_that_printed),
		cmocka_unit_test(text_is_appended),
	};

	if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
		return EXIT_FAILURE;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
