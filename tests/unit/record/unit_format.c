#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <printf.h>

#include <cmocka.h>

#include "record/format.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* The kinds as digits, errno as m; "none" for FORMAT_NONE. */
static const char *kinds_of(const char *format)
{
	static char text[FORMAT_ARGUMENTS_MAX + 2];
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	bool has_errno;
	int count;
	int i;

	count = format_arguments(format, strlen(format), kinds, &has_errno);
	if (count == FORMAT_NONE)
		return "none";
	for (i = 0; i < count; i++)
		text[i] = (char)('0' + kinds[i]);
	if (has_errno)
		text[count - 1] = 'm';
	text[count] = '\0';
	return text;
}

static void walk_to_first(
	const char *format, struct format_directive *directive)
{
	struct format_cursor cursor;

	format_begin(&cursor, format, strlen(format));
	assert_true(format_next(&cursor, directive));
}

static void text_and_directives_come_one_after_the_other(void **state)
{
	static const char format[] = "a%d%%b c%-5.3s\n";
	static const char *const pieces[] = {
		"a", "%d", "%%", "b c", "%-5.3s", "\n"};
	static const char conversions[] = {0, 'd', '%', 0, 's', 0};
	struct format_directive directive;
	struct format_cursor cursor;
	size_t i;

	(void)state;
	format_begin(&cursor, format, strlen(format));
	for (i = 0; i < LENGTH(pieces); i++) {
		assert_true(format_next(&cursor, &directive));
		assert_int_equal(directive.length, strlen(pieces[i]));
		assert_memory_equal(
			directive.text, pieces[i], directive.length);
		assert_int_equal(directive.conversion, conversions[i]);
	}
	assert_false(format_next(&cursor, &directive));
	assert_ptr_equal(cursor.at, cursor.end);
}

static void every_flag_is_told(void **state)
{
	struct format_directive directive;

	(void)state;
	walk_to_first("%-+ #0'Id", &directive);
	assert_int_equal(directive.flags, 127);
	walk_to_first("%-d", &directive);
	assert_int_equal(directive.flags, FORMAT_MINUS);
	walk_to_first("%++d", &directive);
	assert_int_equal(directive.flags, FORMAT_PLUS);
	walk_to_first("% d", &directive);
	assert_int_equal(directive.flags, FORMAT_SPACE);
	walk_to_first("%#d", &directive);
	assert_int_equal(directive.flags, FORMAT_ALTERNATE);
	walk_to_first("%0d", &directive);
	assert_int_equal(directive.flags, FORMAT_ZERO);
	walk_to_first("%'d", &directive);
	assert_int_equal(directive.flags, FORMAT_GROUP);
	walk_to_first("%Id", &directive);
	assert_int_equal(directive.flags, FORMAT_I18N);
}

static void width_and_precision_are_told(void **state)
{
	struct format_directive directive;

	(void)state;
	walk_to_first("%d", &directive);
	assert_int_equal(directive.width, FORMAT_NONE);
	assert_int_equal(directive.precision, FORMAT_NONE);
	walk_to_first("%012.034d", &directive);
	assert_int_equal(directive.width, 12);
	assert_int_equal(directive.precision, 34);
	walk_to_first("%.d", &directive);
	assert_int_equal(directive.precision, 0);
	walk_to_first("%2147483647.2147483647d", &directive);
	assert_int_equal(directive.width, 2147483647);
	assert_int_equal(directive.precision, 2147483647);
	walk_to_first("%*.*d", &directive);
	assert_int_equal(directive.width, FORMAT_NONE);
	assert_int_equal(directive.width_argument, 0);
	assert_int_equal(directive.precision_argument, 1);
	assert_int_equal(directive.argument, 2);
	walk_to_first("%3$*1$.*2$d", &directive);
	assert_int_equal(directive.width_argument, 0);
	assert_int_equal(directive.precision_argument, 1);
	assert_int_equal(directive.argument, 2);
}

/* The kinds for a libc, as kinds_of(). */
static const char *kinds_for(const char *format, uint32_t libc)
{
	static char text[8];
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	bool has_errno;
	int count = format_arguments_for(
		format, strlen(format), kinds, &has_errno, libc);

	snprintf(text, sizeof(text), "%d", count);
	return text;
}

static void a_conversion_is_one_since_its_libc_has_it(void **state)
{
	(void)state;
	assert_string_equal(kinds_for("%b", LIBC_VERSION(2, 34)), "-1");
	assert_string_equal(kinds_for("%b", LIBC_VERSION(2, 35)), "1");
	assert_string_equal(kinds_for("%b", 0), "1");
	assert_string_equal(kinds_for("%w32d", LIBC_VERSION(2, 37)), "-1");
	assert_string_equal(kinds_for("%w32d", 0), "-1");
	assert_string_equal(kinds_for("%w32d", LIBC_VERSION(2, 38)), "1");
	assert_string_equal(kinds_for("%w32d", LIBC_ANY), "1");
	assert_string_equal(kinds_for("%w12d", LIBC_ANY), "-1");
	assert_string_equal(kinds_for("%2147483640d", LIBC_ANY), "1");
	assert_string_equal(kinds_for("%2147483640d", 2031), "-1");
}

static void widths_in_bits_are_sizes(void **state)
{
	static const struct {
		const char *format;
		int size;
	} cases[] = {{"%w8d", FORMAT_CHAR}, {"%w16x", FORMAT_SHORT},
		{"%w32u", FORMAT_INT}, {"%w64o", FORMAT_LONG},
		{"%wf8d", FORMAT_CHAR}, {"%wf16d", FORMAT_LONG},
		{"%wf32d", FORMAT_LONG}, {"%wf64d", FORMAT_LONG},
		{"%w16f", FORMAT_INT}, {"%w64f", FORMAT_LONG_DOUBLE},
		{"%w64s", FORMAT_LONG}, {"%w008d", FORMAT_CHAR}};
	struct format_directive directive;

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		walk_to_first(cases[i].format, &directive);
		assert_int_equal(directive.size, cases[i].size);
	}
}

struct size_case {
	const char *format;
	char conversion;
	int size;
};

static void sizes_and_synonyms_are_resolved(void **state)
{
	static const struct size_case cases[] = {{"%i", 'd', FORMAT_INT},
		{"%hhd", 'd', FORMAT_CHAR}, {"%hu", 'u', FORMAT_SHORT},
		{"%lx", 'x', FORMAT_LONG}, {"%llo", 'o', FORMAT_LONG},
		{"%qd", 'd', FORMAT_LONG}, {"%Ld", 'd', FORMAT_LONG},
		{"%jd", 'd', FORMAT_LONG}, {"%zX", 'X', FORMAT_LONG},
		{"%Zb", 'b', FORMAT_LONG}, {"%tB", 'B', FORMAT_LONG},
		{"%lf", 'f', FORMAT_INT}, {"%Lf", 'f', FORMAT_LONG_DOUBLE},
		{"%llg", 'g', FORMAT_LONG_DOUBLE},
		{"%qa", 'a', FORMAT_LONG_DOUBLE}, {"%C", 'c', FORMAT_LONG},
		{"%S", 's', FORMAT_LONG}, {"%lc", 'c', FORMAT_LONG},
		{"%ls", 's', FORMAT_LONG}, {"%hS", 's', FORMAT_LONG},
		{"%zs", 's', FORMAT_LONG}, {"%hs", 's', FORMAT_INT},
		{"%hhs", 's', FORMAT_INT}, {"%Ls", 's', FORMAT_LONG},
		/* The second parser of glibc ignores L and q here. */
		{"%1$Ls", 's', FORMAT_INT}, {"%1$Ld", 'd', FORMAT_INT},
		{"%1$qx", 'x', FORMAT_INT}, {"%1$lld", 'd', FORMAT_LONG},
		{"%1$Lf", 'f', FORMAT_LONG_DOUBLE}};
	struct format_directive directive;
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++) {
		walk_to_first(cases[i].format, &directive);
		assert_int_equal(directive.conversion, cases[i].conversion);
		assert_int_equal(directive.size, cases[i].size);
	}
}

static void undefined_pieces_end_the_walk_before_them(void **state)
{
	static const char *const formats[] = {"%", "%5", "%.", "%l", "%h",
		"%1$", "%*", "%y", "%5y", "%D", "%hhhd", "%hld", "%lhd",
		"%llld", "%zzd", "%Lld", "%.-5d", "%5-d", "%5 d", "%.5.3d",
		"%l5d", "%5*d", "%**d", "%*5d", "%.*5d", "%0$d", "%$d", "%-1$d",
		"%1$2$d", "%*0$d", "%2147483648d", "%.2147483648d",
		"%99999999999999999999d", "%99999999999$d", "%*2147483648$d",
		"%wd", "%\xc3\xa9"};
	struct format_directive directive;
	struct format_cursor cursor;
	char format[64];
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(formats); i++) {
		snprintf(format, sizeof(format), "%%x ok%s", formats[i]);
		format_begin(&cursor, format, strlen(format));
		assert_true(format_next(&cursor, &directive));
		assert_true(format_next(&cursor, &directive));
		assert_false(format_next(&cursor, &directive));
		assert_ptr_equal(cursor.at, format + 5);
		assert_false(format_next(&cursor, &directive));
		assert_ptr_equal(cursor.at, format + 5);
		assert_string_equal(kinds_of(format), "none");
	}
}

static void a_format_is_not_read_beyond_its_length(void **state)
{
	static const char format[] = "%1$-05.10lld";
	struct format_directive directive;
	struct format_cursor cursor;
	size_t length;

	(void)state;
	for (length = 1; length < sizeof(format) - 1; length++) {
		/* Exactly as large: a sanitizer sees a read beyond. */
		char *copy = malloc(length);

		assert_non_null(copy);
		memcpy(copy, format, length);
		format_begin(&cursor, copy, length);
		assert_false(format_next(&cursor, &directive));
		free(copy);
	}
}

struct kind_case {
	const char *format;
	const char *kinds;
};

static void kinds_of_arguments_are_those_of_the_call(void **state)
{
	static const struct kind_case cases[] = {{"", ""}, {"text %%", ""},
		{"%d%ld%f%Lf%s%ls%p%n", "12345622"}, {"%*.*f", "113"},
		{"%c%lc%C%S", "1116"}, {"%hhd%hx", "11"}, {"%m", "m"},
		{"%s %d %m", "51m"}, {"%m %m %d", "1m"}, {"%#m", "m"},
		{"%2$s %1$d", "15"}, {"%1$d %1$x %1$c", "1"},
		{"%3$*1$.*2$f", "113"}, {"%1$d %m", "1m"}, {"%*%%*m", "11m"},
		{"%1$Ld", "1"}, {"%Ld", "2"}, {"%hs%Ld", "51"},
		{"%Ld%hs", "25"}, {"%64$d", "none"}, {"%65$d", "none"},
		{"%2147483647$d", "none"}, {"%1$d %d", "none"},
		{"%d %1$d", "none"}, {"%1$*d", "none"}, {"%*1$d", "none"},
		{"%2$d", "none"}, {"%1$d %3$d", "none"}, {"%1$d %1$ld", "none"},
		{"%1$d %1$s", "none"}, {"%1$*1$d", "1"},
		{"%1$s%1$*1$d", "none"}};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(cases); i++)
		assert_string_equal(kinds_of(cases[i].format), cases[i].kinds);
}

static void as_many_arguments_as_promised_fit(void **state)
{
	char format[2 * FORMAT_ARGUMENTS_MAX + 5];
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	bool has_errno;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(format) - 1; i++)
		format[i] = i % 2 == 0 ? '%' : 's';
	memcpy(format + 2 * FORMAT_ARGUMENTS_MAX, "%m", 2);
	assert_int_equal(format_arguments(format, 2 * FORMAT_ARGUMENTS_MAX + 2,
				 kinds, &has_errno),
		FORMAT_ARGUMENTS_MAX + 1);
	assert_true(has_errno);
	memcpy(format + 2 * FORMAT_ARGUMENTS_MAX, "%s", 2);
	assert_int_equal(format_arguments(format, 2 * FORMAT_ARGUMENTS_MAX + 2,
				 kinds, &has_errno),
		FORMAT_NONE);
}

static char kind_in_libc(int type)
{
	switch (type & ~PA_FLAG_MASK) {
	case PA_DOUBLE:
		return type & PA_FLAG_LONG_DOUBLE ? '4' : '3';
	case PA_STRING:
		return '5';
	case PA_WSTRING:
		return '6';
	case PA_POINTER:
		return '2';
	default:
		return type & (PA_FLAG_LONG | PA_FLAG_LONG_LONG | PA_FLAG_PTR)
			       ? '2'
			       : '1';
	}
}

static void kinds_agree_with_parse_printf_format(void **state)
{
	static const char *const sizes[] = {
		"", "h", "hh", "l", "ll", "j", "z", "Z", "t"};
	/* Those that not every libc has come last. */
	static const char all[] = "diouxXeEfFgGaACSpn%bB";
	const size_t conversions =
		strlen(all) - (__GLIBC_PREREQ(2, 35) ? 0 : 2);
	static const char *const heads[] = {
		"", "-5", "*", "*.*", "+#0'I7.3", ".*", "1$", "1$*2$.*3$"};
	char expected[8];
	char format[32];
	int types[8];
	size_t count;
	size_t n;
	size_t i;

	(void)state;
	for (n = 0; n < LENGTH(heads) * LENGTH(sizes) * conversions;
		n++) {
		snprintf(format, sizeof(format), "x%%%s%s%c",
			heads[n % LENGTH(heads)],
			sizes[n / LENGTH(heads) % LENGTH(sizes)],
			all[n / LENGTH(heads) / LENGTH(sizes)]);
		/* A numbered "%%" has no argument, but libc wants its place. */
		if (strpbrk(format, "$") != NULL &&
			format[strlen(format) - 1] == '%')
			continue;
		count = parse_printf_format(format, LENGTH(types), types);
		for (i = 0; i < count; i++)
			expected[i] = kind_in_libc(types[i]);
		expected[count] = '\0';
		assert_string_equal(kinds_of(format), expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_directives_come_one_after_the_other),
		cmocka_unit_test(a_conversion_is_one_since_its_libc_has_it),
		cmocka_unit_test(widths_in_bits_are_sizes),
		cmocka_unit_test(every_flag_is_told),
		cmocka_unit_test(width_and_precision_are_told),
		cmocka_unit_test(sizes_and_synonyms_are_resolved),
		cmocka_unit_test(undefined_pieces_end_the_walk_before_them),
		cmocka_unit_test(a_format_is_not_read_beyond_its_length),
		cmocka_unit_test(kinds_of_arguments_are_those_of_the_call),
		cmocka_unit_test(as_many_arguments_as_promised_fit),
		cmocka_unit_test(kinds_agree_with_parse_printf_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
