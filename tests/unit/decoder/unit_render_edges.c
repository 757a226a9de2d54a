/* The renderer without memory, and with arguments that are not those of the
 * format. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "base/limits.h"
#include "tests/unit/world/inject_faults.h"
#include "tests/unit/world/render_check.h"

/* A string of which only the length is left. */
#define LOST_S                                                                 \
	{                                                                      \
		.kind = BINLOG_ARG_STRING, .bytes = 3                          \
	}

static void other_arguments_are_not_taken(void **state)
{
	(void)state;
	RENDERS("%.*s", RENDER_MISMATCH, NULL, "%.*s", S("x"), S("y"));
	RENDERS("%.*s", RENDER_MISMATCH, NULL, "%.*s", I(1));
	RENDERS("%.*s", RENDER_MISMATCH, NULL, "%.*s", I(1), I(2));
	RENDERS("%.2s", RENDER_MISMATCH, NULL, "%.2s", L(1));
	RENDERS("%m", RENDER_MISMATCH, NULL, "%m", S("x"));
	RENDERS("1%m", RENDER_MISMATCH, NULL, "%d%m", I(1));
	RENDERS("%*%", RENDER_MISMATCH, NULL, "%*%", S("x"));
	RENDERS("%.*%", RENDER_MISMATCH, NULL, "%.*%", S("x"));
	RENDERS("%5$d", RENDER_MISMATCH, NULL, "%5$d", I(1));
	RENDERS("%1$.*2$s", RENDER_MISMATCH, NULL, "%1$.*2$s", S("x"));
	RENDERS("%1$.*2$s", RENDER_MISMATCH, NULL, "%1$.*2$s", S("x"), S("y"));
	RENDERS("||", RENDER_COMPLETE, NULL, "|%s|",
		{.kind = BINLOG_ARG_STRING});
	RENDERS("(null)||", RENDER_COMPLETE, NULL, "%s|%.2s|", LOST_S, LOST_S);
}

/* Of a number all digits are taken, and nothing after it. */
static void digits_are_not_more_than_the_limit(void **state)
{
	uint64_t limit = limits_of(LIMIT_DIGITS);

	(void)state;
	limits_values[LIMIT_DIGITS] = 5;
	RENDERS("x 0.33333333333333331483", RENDER_CUT, NULL, "x %.20f %d end",
		D(1.0 / 3), I(1));
	limits_values[LIMIT_DIGITS] = limit;
}

static void lengths_and_widths_look_as_in_libc(void **state)
{
	static char longer[600];

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	SAME("%.254s|%.255s|%.256s|", S(longer), S(longer), S(longer));
	SAME("%.*s|%.*s|", I(-1), S(longer), I(300), S(longer));
	SAME("%32d|%33d|%-33s|", I(1), I(2), S("x"));
	SAME("%p|%20p|", L(0), L(0));
	SAME("%5c|%-5c|%lc", I('a'), I('b'), I(L'c'));
	SAME("%.18f|%.17f|%.19f|", D(1e-300), D(0.1), D(123456.5));
	SAME("%f|%f|%f|", D(__builtin_inf()), D(__builtin_nan("")), D(-0.0));
	SAME("%s%%|%5%|", S("a"));
	SAME("%5s|%-5s|%s|", S(""), S(""), S(""));
}

/* The leading bit of the mantissa of x86, and no exponent. */
static void the_least_pseudo_denormal_looks_as_in_libc(void **state)
{
	_Alignas(16) static const uint8_t data[16] = {[7] = 0x80};
	const struct render_argument argument = {
		.kind = BINLOG_ARG_LONG_DOUBLE, .data = data};

	(void)state;
	if (LIBC_BINARY128)
		skip();
	SAME("%Lf|%Le|%Lg|%La", argument, argument, argument, argument);
}

static void strings_used_again_and_again_are_cut(void **state)
{
	static const char text[200] = "";
	const struct render_argument arguments[] = {
		{.kind = BINLOG_ARG_STRING, .bytes = 200, .data = text},
		{.kind = BINLOG_ARG_WIDE, .bytes = 200, .data = text},
	};
	static const char format[] = "%1$s%1$s%1$s%1$s%2$ls%1$s%1$s%1$s%1$s|";
	struct render_buffer out = {.limit = 100};

	(void)state;
	assert_int_equal(render_format(&out, format, strlen(format), arguments,
				 LENGTH(arguments), NULL, 0),
		RENDER_CUT);
	assert_in_range(out.length, 100, 1000);
	assert_plan_renders(
		&out, RENDER_CUT, format, arguments, LENGTH(arguments));
	render_buffer_free(&out);
}

/* Each end is behind the last one; whether it is of bytes, the length says. */
static void pieces_are_told_one_by_one(void **state)
{
	struct render_pieces pieces = {0};
	struct render_buffer out = {.pieces = &pieces};
	size_t i;

	(void)state;
	for (i = 0; i < 300; i++) {
		pieces.small = i % 2;
		render_buffer_put(&out, "0123456789012345678901234567890",
			20 + i % 4 / 2);
		assert_int_equal(pieces.count, i + 1);
		assert_int_equal(pieces.ends[i],
			RENDER_PIECE_KINDS * out.length + (i % 4 == 1));
	}
	render_buffer_join(&out, i, true);
	assert_int_equal(pieces.count, i);
	render_buffer_join(&out, i - 1, true);
	assert_int_equal(pieces.ends[i - 1], RENDER_PIECE_KINDS * out.length);
	render_buffer_put_byte(&out, 'x');
	render_buffer_join(&out, i, true);
	assert_int_equal(pieces.ends[i], RENDER_PIECE_KINDS * out.length + 1);
	render_buffer_join(&out, 0, false);
	assert_int_equal(pieces.count, 1);
	assert_int_equal(pieces.ends[0], RENDER_PIECE_KINDS * out.length);
	free(pieces.ends);
	render_buffer_free(&out);
}

static void note_pointer(
	void *closure, struct render_buffer *out, uint64_t pointer)
{
	(void)pointer;
	++*(int *)closure;
	render_buffer_put(out, "!", 1);
}

static void each_pointer_is_told_of(void **state)
{
	static const struct render_argument arguments[] = {
		L(0x1234), L(0), L(5)};
	int told = 0;
	const struct render_pointers pointers = {note_pointer, &told};
	struct render_plan *plan = NULL;
	struct render_buffer out = {.pointers = &pointers};
	struct pool pool = {0};
	int i;

	(void)state;
	for (i = 0; i < RENDER_PLAN_USES + 2; i++) {
		out.length = 0;
		assert_int_equal(
			render_plan_put(&plan, &pool, &out, "%p %p %20p", 10,
				arguments, LENGTH(arguments), 0),
			RENDER_COMPLETE);
		assert_int_equal(told, 3 * (i + 1));
		assert_memory_equal(out.data, "0x1234! (nil)! ", 15);
	}
	render_buffer_free(&out);
	pool_free(&pool);
}

static void more_than_there_can_be_is_not_appended(void **state)
{
	struct render_buffer out = {0};
	struct render_buffer of = {.failed = true};
	struct pool pool = {0};

	(void)state;
	assert_null(pool_take(&pool, SIZE_MAX));
	assert_null(pool_copy(&pool, "", SIZE_MAX));
	pool_free(&pool);
	assert_false(render_buffer_reserve(&out, SIZE_MAX));
	assert_true(out.failed);
	render_buffer_retire(&of, &out);
	assert_true(out.failed);
	assert_false(of.failed);
	out.failed = false;
	render_buffer_retire(&of, &out);
	assert_false(out.failed);
	of.failed = true;
	render_buffer_retire(&of, &out);
	assert_true(out.failed);
	render_buffer_free(&out);
}

/* Everything once, with pieces or with a plan. */
static int render_all(struct render_buffer *out, bool planned)
{
	static const char format[] =
		"text %d %-20s %.3ls %f %*d %c %p %m %.*s %300d %ld";
	static const struct render_argument arguments[] = {I(1), S("string"),
		MIXED, D(2.5), I(5), I(6), I('c'), L(7), I(3), S("clipped"),
		I(8), L(9), I(2)};
	struct render_plan *plan = NULL;
	struct pool pool = {0};
	int outcome = RENDER_COMPLETE;
	int i;

	for (i = 0; i < RENDER_PLAN_USES + 2 && !out->failed; i++) {
		out->length = 0;
		if (out->pieces)
			out->pieces->count = 0;
		outcome = render_plan_put(&plan, planned ? &pool : NULL, out,
			format, strlen(format), arguments, LENGTH(arguments),
			0);
	}
	pool_free(&pool);
	return outcome;
}

static void try_without_memory(bool planned, bool with_pieces)
{
	struct render_buffer whole = {0};
	unsigned long k;

	assert_int_equal(render_all(&whole, planned), RENDER_COMPLETE);
	for (k = 0; k == 0 || inject.happened; k++) {
		struct render_pieces pieces = {.small = k & 1};
		struct render_buffer out = {
			.pieces = with_pieces ? &pieces : NULL};
		int outcome;

		inject_begin(INJECT_MEMORY, k, false);
		outcome = render_all(&out, planned);
		inject_end();
		assert_int_equal(outcome == RENDER_NO_MEMORY, out.failed);
		if (!out.failed) {
			assert_int_equal(out.length, whole.length);
			assert_memory_equal(out.data, whole.data, out.length);
		}
		render_buffer_free(&out);
		free(pieces.ends);
	}
	render_buffer_free(&whole);
}

static void without_memory_it_is_said(void **state)
{
	(void)state;
	try_without_memory(false, false);
	try_without_memory(true, false);
	try_without_memory(false, true);
	try_without_memory(true, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_arguments_are_not_taken),
		cmocka_unit_test(digits_are_not_more_than_the_limit),
		cmocka_unit_test(lengths_and_widths_look_as_in_libc),
		cmocka_unit_test(the_least_pseudo_denormal_looks_as_in_libc),
		cmocka_unit_test(strings_used_again_and_again_are_cut),
		cmocka_unit_test(pieces_are_told_one_by_one),
		cmocka_unit_test(each_pointer_is_told_of),
		cmocka_unit_test(more_than_there_can_be_is_not_appended),
		cmocka_unit_test(without_memory_it_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
