/*
 * Checks of the renderer against libc, for its unit tests: SAME() lets libc
 * judge, RENDERS() is for what libc does not do.  Both take the format and
 * then the arguments as I(1), S("text") and so on.
 */
#ifndef TESTS_RENDER_CHECK_H
#define TESTS_RENDER_CHECK_H

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/render/render.h"
#include "decoder/render/render_plan.h"
#include "tests/support/libc_print.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define TEXT_BYTES (1u << 16)

/* Arguments as a capture has them; the pointers are also what libc gets. */
#define I(value)                                                               \
	{                                                                      \
		.kind = BINLOG_ARG_I32, .i32 = (value)                         \
	}
#define L(value)                                                               \
	{                                                                      \
		.kind = BINLOG_ARG_I64, .i64 = (value)                         \
	}
#define D(value)                                                               \
	{                                                                      \
		.kind = BINLOG_ARG_F64, .f64 = (value)                         \
	}
#define S(text)                                                                \
	{                                                                      \
		.kind = BINLOG_ARG_STRING, .bytes = sizeof(text) - 1,          \
		.data = (text)                                                 \
	}
#define W(text)                                                                \
	{                                                                      \
		.kind = BINLOG_ARG_WIDE, .bytes = sizeof(text) - 4,            \
		.data = (text)                                                 \
	}
#define MIXED W(L"a\u00e4\u20ac\U0001f600") /* of 1 to 4 bytes */
#define NULL_S                                                                 \
	{                                                                      \
		.kind = BINLOG_ARG_STRING, .null = true                        \
	}
#define NULL_W                                                                 \
	{                                                                      \
		.kind = BINLOG_ARG_WIDE, .null = true                          \
	}

#define SAME(format, ...)                                                      \
	assert_same(format, (struct render_argument[]){__VA_ARGS__},           \
		sizeof((struct render_argument[]){__VA_ARGS__}) /              \
			sizeof(struct render_argument))

#define RENDERS(text, result, locale, format, ...)                             \
	assert_renders(text, result, locale, format,                           \
		(struct render_argument[]){__VA_ARGS__},                       \
		sizeof((struct render_argument[]){__VA_ARGS__}) /              \
			sizeof(struct render_argument))

static char expected[TEXT_BYTES];

/* The same again and again, until it has become a plan and beyond. */
static inline void assert_plan_renders(const struct render_buffer *wanted,
	int outcome, const char *format,
	const struct render_argument *arguments, size_t count)
{
	struct render_plan *plan = NULL;
	struct render_buffer out = {.limit = wanted->limit};
	struct pool pool = {0};
	int i;

	for (i = 0; i < RENDER_PLAN_USES + 2; i++) {
		out.length = 0;
		assert_int_equal(
			render_plan_put(&plan, &pool, &out, format,
				strlen(format), arguments, count, libc_here()),
			outcome);
		assert_int_equal(out.length, wanted->length);
		if (wanted->length > 0)
			assert_memory_equal(
				out.data, wanted->data, wanted->length);
	}
	render_buffer_free(&out);
	pool_free(&pool);
}

static inline void assert_renders(const char *text, int outcome,
	const struct render_locale *locale, const char *format,
	const struct render_argument *arguments, size_t count)
{
	struct render_buffer out = {0};
	int result = render_format(&out, format, strlen(format), arguments,
		count, locale, libc_here());

	if (locale == NULL)
		assert_plan_renders(&out, result, format, arguments, count);
	render_buffer_put(&out, "", 1);
	assert_string_equal(out.data, text);
	assert_int_equal(out.length, strlen(text) + 1);
	assert_int_equal(result, outcome);
	render_buffer_free(&out);
}

/* Libc is the judge; an errno for %m is the last argument. */
static inline void assert_same(const char *format,
	const struct render_argument *arguments, size_t count)
{
	static _Alignas(16) uint64_t slots[LIBC_SLOTS];
	int result;

	libc_print_fill(slots, arguments, count);
	result = libc_print_slots(expected, sizeof(expected), format, slots,
		arguments[count - 1].i32);
	assert_in_range(result, 0, TEXT_BYTES - 1);
	assert_renders(
		expected, RENDER_COMPLETE, NULL, format, arguments, count);
}

#endif
