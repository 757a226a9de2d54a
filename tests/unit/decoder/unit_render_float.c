#include <stdarg.h>
#include <setjmp.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/random_value.h"
#include "tests/unit/world/render_check.h"

static void check_double(double value)
{
	static const char *const formats[] = {"%f", "%e", "%g", "%a", "%.0f",
		"%.1f", "%.2f", "%.3f", "%.15f", "%.17f", "%.18f", "%.30f",
		"%.0e", "%.2e", "%.16e", "%.17e", "%.40e", "%.0g", "%.1g",
		"%.3g", "%.15g", "%.17g", "%.60g", "%#g", "%#.0f", "%#.0e",
		"%#.3g", "%#.0a", "%.0a", "%.1a", "%.5a", "%.12a", "%.13a",
		"%.20a", "%A", "%F", "%E", "%G", "%+f", "% f", "%+e", "% g",
		"%+a", "%25f|", "%-25f|", "%025f|", "%+025.3e|", "% 025g|",
		"%025a|", "%-25a|", "%-025f|", "%25.2a|", "%'f", "%If"};
	size_t f;

	for (f = 0; f < LENGTH(formats); f++) {
		/* Since 2.37 libc gives no digits at all in the C locale; the
		 * library asks it for such texts. */
		if (strchr(formats[f], 'I') &&
			libc_has(libc_here(), LIBC_BUFFERS))
			continue;
		SAME(formats[f], D(value));
		SAME(formats[f], D(-value));
	}
}

static void doubles_look_as_in_libc(void **state)
{
	static const double values[] = {0.0, 1.0, 0.5, 1.5, 2.5, 0.25, 0.125,
		0.375, 0.1, 0.3, 9.5, 9.9999999, 99.5, 999999.5, 9999995,
		0.00001, 0.0001, 0.00012345, 0.099999999, 123456.789, 1e15,
		1e16, 1e17, 9007199254740993.0, 18446744073709551616.0, 1e22,
		1e23, 1e100, 1e-100, 5e-324, 2.2250738585072014e-308,
		2.2250738585072009e-308, 1.7976931348623157e308,
		0x1.fffffffffffffp-1, 0x1.8p-64, 0x1p-63, 0x1p-64, 0x1p-65,
		0x1.08p3, 0x1.18p3, INFINITY, NAN};
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(values); i++)
		check_double(values[i]);
}

static void every_power_of_two_is_exact(void **state)
{
	int exponent;

	(void)state;
	for (exponent = -1074; exponent < 1024; exponent++) {
		SAME("%.1074f", D(ldexp(1, exponent)));
		SAME("%.17g %.0f %e %a", D(ldexp(3, exponent - 1)),
			D(ldexp(3, exponent - 1)), D(ldexp(3, exponent - 1)),
			D(ldexp(3, exponent - 1)));
	}
}

static void ties_go_to_the_even_digit(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 400; i++) {
		SAME("%.0f %.0e %.1g %.0a", D(i + 0.5), D(i + 0.5), D(i + 0.5),
			D(i + 0.5));
		SAME("%.2f %.3e %.3g %.1a", D(i / 8.0), D(i / 8.0), D(i / 8.0),
			D(i / 8.0));
		/* With a width the short way is not taken. */
		SAME("%1.0f %1.2f", D(i + 0.5), D(i / 8.0));
	}
}

static void long_doubles_look_as_in_libc(void **state)
{
	static const char *const formats[] = {"%Lf", "%Le", "%Lg", "%La",
		"%.0Lf", "%.20Le", "%.30Lg", "%.0La", "%.3La", "%.40La",
		"%+025Lf|", "%-30Le|", "%030La|", "%#Lg", "%llA", "%qG"};
	_Alignas(16) char data[16];
	size_t n;

	(void)state;
	random_state = 4711;
	for (n = 0; n < 4000; n++) {
		random_long_double(data);
		SAME(formats[n % LENGTH(formats)],
			{.kind = BINLOG_ARG_LONG_DOUBLE,
				.binary128 = LIBC_BINARY128,
				.data = data});
	}
}

static void assert_same_binary128(
	const char *head, char conversion, const uint64_t bits[2])
{
	const struct render_argument argument = {.kind = BINLOG_ARG_LONG_DOUBLE,
		.binary128 = true,
		.data = bits};
	char format[16];

	snprintf(format, sizeof(format), "%s%c", head, conversion);
	if (!libc_print_binary128(expected, sizeof(expected), format, bits))
		skip();
	snprintf(format, sizeof(format), "%sL%c", head, conversion);
	assert_renders(expected, RENDER_COMPLETE, NULL, format, &argument, 1);
}

static void binary128_looks_as_in_libc(void **state)
{
	static const char *const heads[] = {"%", "%.0", "%.3", "%.33", "%.50"};
	uint64_t bits[2];
	unsigned int n;

	(void)state;
	random_state = 42;
	for (n = 0; n < 5000; n++) {
		bits[0] = next_random();
		bits[1] = next_random();
		if (n % 3 == 0)
			bits[1] = (bits[1] & ~(0x7fffull << 48)) |
				  (uint64_t)(0x3fff - 90 + n % 180) << 48;
		if (n % 16 == 1)
			bits[1] &= ~(0x7fffull << 48);
		if (n % 16 == 2)
			bits[1] |= 0x7fffull << 48;
		if (n % 32 == 2)
			bits[0] = 0, bits[1] &= 0xffffull << 48;
		assert_same_binary128(heads[n % LENGTH(heads)],
			"aefgAEFG"[n / LENGTH(heads) % 8], bits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubles_look_as_in_libc),
		cmocka_unit_test(every_power_of_two_is_exact),
		cmocka_unit_test(ties_go_to_the_even_digit),
		cmocka_unit_test(long_doubles_look_as_in_libc),
		cmocka_unit_test(binary128_looks_as_in_libc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
