/* Columns of integers as their directives print them: libc says what that is.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decoder/query/expression_columns.h"
#include "record/format.h"
#include "record/layout.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

static const int64_t values[] = {0, 1, -1, 'A', 0x141, 0x8000, 0x12345678,
	INT32_MIN, INT64_MIN, INT64_MAX, (int64_t)0xfeedfacecafe0080};

struct directive {
	const char *format;
	char conversion;
	uint8_t size;
	uint8_t kind;
};

/* As an argument that is too large for its directive arrives there. */
static uint64_t printed(const struct directive *directive, int64_t value)
{
	char text[64];

	if (directive->conversion == 'c')
		return directive->size == FORMAT_LONG ? (uint32_t)value
						      : (unsigned char)value;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (directive->kind == BINLOG_ARG_I32)
		snprintf(text, sizeof(text), directive->format, (int)value);
	else
		snprintf(text, sizeof(text), directive->format, value);
#pragma GCC diagnostic pop
	if (directive->conversion == 'd')
		return (uint64_t)strtoll(text, NULL, 10);
	return strtoull(text, NULL, directive->conversion == 'u' ? 10 : 16);
}

static void check(const struct directive *directive, struct column column,
	const int64_t *expected, size_t count)
{
	const struct field field = {.kind = directive->kind,
		.size = directive->size,
		.conversion = directive->conversion};
	int64_t got[LENGTH(values)];
	size_t i;

	column_values_integers(&column, &field, got, count);
	for (i = 0; i < count; i++)
		assert_true(printed(directive, expected[i]) ==
			    (uint64_t)got[i]);
}

static void columns_have_what_is_printed(void **state)
{
	static const struct directive directives[] = {
		{"%d", 'd', FORMAT_INT, BINLOG_ARG_I32},
		{"%u", 'u', FORMAT_INT, BINLOG_ARG_I32},
		{"%x", 'x', FORMAT_INT, BINLOG_ARG_I32},
		{"%hhd", 'd', FORMAT_CHAR, BINLOG_ARG_I32},
		{"%hu", 'u', FORMAT_SHORT, BINLOG_ARG_I32},
		{"%" PRId64, 'd', FORMAT_LONG, BINLOG_ARG_I64},
		{"%" PRIx64, 'x', FORMAT_LONG, BINLOG_ARG_I64},
		{"%" PRIx64, 'p', FORMAT_INT, BINLOG_ARG_I64},
		{"%c", 'c', FORMAT_INT, BINLOG_ARG_I32},
		{"%lc", 'c', FORMAT_LONG, BINLOG_ARG_I32},
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < LENGTH(directives); i++) {
		check(&directives[i],
			(struct column){(const uint64_t *)values, 1, 0, 0},
			values, LENGTH(values));
		for (k = 0; k < LENGTH(values); k++)
			check(&directives[i],
				(struct column){
					(const uint64_t *)&values[k], 0, 0, 0},
				&values[k], 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_have_what_is_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
