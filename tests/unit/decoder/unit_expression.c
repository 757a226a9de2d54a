#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/query/expression.h"
#include "record/format.h"

/* A message with this format; its arguments are appended. */
struct said {
	struct definition_context context;
	struct definition_string format;
	struct message message;
	struct render_argument arguments[FORMAT_KINDS_MAX];
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	struct pool pool;
};

static void say(struct said *said, const char *format)
{
	bool has_errno;
	int count;

	memset(said, 0, sizeof(*said));
	said->format.bytes = format;
	said->format.length = strlen(format);
	count = format_arguments(
		format, said->format.length, said->kinds, &has_errno);
	assert_true(count >= 0);
	said->context = (struct definition_context){
		.text = BINLOG_TEXT_FORMAT,
		.has_format = true,
		.format = &said->format,
		.kinds = said->kinds,
		.arguments = (size_t)count,
	};
	said->message.context = &said->context;
	said->message.arguments = said->arguments;
}

static struct render_argument *next(struct said *said)
{
	struct render_argument *argument =
		&said->message.arguments[said->message.count];

	argument->kind = said->kinds[said->message.count++];
	return argument;
}

static void add_integer(struct said *said, int64_t value)
{
	struct render_argument *argument = next(said);

	if (argument->kind == BINLOG_ARG_I32)
		argument->i32 = (int32_t)value;
	else
		argument->i64 = value;
}

static void add_text(struct said *said, const char *text)
{
	struct render_argument *argument = next(said);

	argument->null = !text;
	argument->data = text;
	argument->bytes = text ? (uint32_t)strlen(text) : 0;
}

static bool ask(struct said *said, const char *text)
{
	char problem[160];
	struct expression *expression =
		expression_new(text, problem, sizeof(problem));
	const struct expression_binding *binding;
	bool is_true;

	if (!expression)
		fail_msg("\"%s\": %s", text, problem);
	binding = expression_bind(
		expression, &said->context, &said->format, &said->pool);
	is_true = binding &&
		  expression_is_true(expression, binding, &said->message);
	expression_free(expression);
	return is_true;
}

static void check(struct said *said, const char *text, bool wanted)
{
	if (ask(said, text) != wanted)
		fail_msg("\"%s\" is %s", text, wanted ? "not true" : "true");
}

/* Neither it nor its contrary is true. */
static void check_neither(struct said *said, const char *text)
{
	char contrary[128];

	snprintf(contrary, sizeof(contrary), "!(%s)", text);
	check(said, text, false);
	check(said, contrary, false);
}

static void numbers_are_compared_as_they_are_printed(void **state)
{
	struct said said;

	(void)state;
	say(&said, "%d %u %hhd %hu %lx %c\n");
	add_integer(&said, -5);
	add_integer(&said, -5);
	add_integer(&said, 300);
	add_integer(&said, -1);
	add_integer(&said, INT64_MIN);
	add_integer(&said, 'x');
	check(&said, "arg1 == -5", true);
	check(&said, "arg1 < 0 && arg1 > -6", true);
	check(&said, "arg2 == 4294967291", true);
	check(&said, "arg2 < 0", false);
	check(&said, "arg3 == 44", true);
	check(&said, "arg4 == 65535", true);
	check(&said, "arg5 == 0x8000000000000000", true);
	check(&said, "arg5 > 9223372036854775807", true);
	check(&said, "arg5 >= 9223372036854775809", false);
	check(&said, "arg6 == 'x'", true);
	check(&said, "arg6 != 'y'", true);
	check(&said, "'x' == arg6", true);
	check(&said, "arg1 < arg2", true);
	pool_free(&said.pool);
}

static void large_numbers_are_exact(void **state)
{
	struct said said;

	(void)state;
	say(&said, "%ld %lu");
	add_integer(&said, INT64_MAX);
	add_integer(&said, -1);
	check(&said, "arg1 == 9223372036854775807", true);
	check(&said, "arg1 == 9223372036854775806", false);
	check(&said, "arg2 == 18446744073709551615", true);
	check(&said, "arg2 > 18446744073709551614", true);
	pool_free(&said.pool);
}

static void doubles_are_compared_as_doubles(void **state)
{
	struct said said;
	long double wide = 0.1L;

	(void)state;
	say(&said, "%f %g %Lf");
	next(&said)->f64 = 0.1;
	next(&said)->f64 = NAN;
	next(&said)->data = &wide;
	said.message.arguments[2].binary128 = __LDBL_MANT_DIG__ == 113;
	check(&said, "arg1 == 0.1", true);
	check(&said, "arg1 == .1", true);
	check(&said, "arg1 < 1e-1", false);
	check(&said, "arg1 > -1", true);
	check(&said, "arg2 == arg2", false);
	check(&said, "arg2 != 1", true);
	check(&said, "arg3 == 0.1", true);
	pool_free(&said.pool);
}

static void texts_are_compared_byte_by_byte(void **state)
{
	static const uint32_t wide[] = {'z', 0xe4};
	struct said said;

	(void)state;
	say(&said, "%s %s %s %ls");
	add_text(&said, "eth0");
	add_text(&said, NULL);
	add_text(&said, "say \"a\\b\"");
	next(&said)->data = wide;
	said.message.arguments[3].bytes = sizeof(wide);
	check(&said, "arg1 == \"eth0\"", true);
	check(&said, "arg1 == \"eth\"", false);
	check(&said, "arg1 > \"eth\" && arg1 < \"eth1\"", true);
	check(&said, "arg1 != \"lo\"", true);
	check(&said, "arg2 == \"(null)\"", true);
	check(&said, "arg3 == \"say \\\"a\\\\b\\\"\"", true);
	check(&said, "arg4 == \"z\xc3\xa4\"", true);
	pool_free(&said.pool);
}

static void texts_are_searched_for_regular_expressions(void **state)
{
	struct said said;

	(void)state;
	say(&said, "%s");
	add_text(&said, "eth0.17");
	check(&said, "arg1 ~ \"^eth[0-9]\"", true);
	check(&said, "arg1 ~ \"0\\.1\"", true);
	check(&said, "arg1 ~ \"7$\"", true);
	check(&said, "arg1 ~ \"^1\"", false);
	check(&said, "arg1 !~ \"^1\"", true);
	check(&said, "arg1 !~ \"h\"", false);
	said.message.arguments[0].bytes = 3;
	check(&said, "arg1 ~ \"0\"", false);
	check(&said, "arg1 ~ \"h$\"", true);
	pool_free(&said.pool);
}

static void words_before_directives_name_them(void **state)
{
	struct said said;

	(void)state;
	say(&said, "%d size=%d, len: %d at %d \"key\": \"%s\" [pid %d] "
		   "(0x%x) addr=0x%x id #%d size=%d x_size=%d 5%%=%d\n");
	add_integer(&said, 1);
	add_integer(&said, 2);
	add_integer(&said, 3);
	add_integer(&said, 4);
	add_text(&said, "five");
	add_integer(&said, 6);
	add_integer(&said, 7);
	add_integer(&said, 8);
	add_integer(&said, 9);
	add_integer(&said, 10);
	add_integer(&said, 11);
	add_integer(&said, 12);
	check(&said, "size == 2", true);
	check(&said, "len == 3", true);
	check(&said, "at == 4", true);
	check(&said, "key == \"five\"", true);
	check(&said, "pid == 6", true);
	check(&said, "addr == 8", true);
	check(&said, "id == 9", true);
	check(&said, "x_size == 11", true);
	check_neither(&said, "ize == 2");
	check_neither(&said, "Size == 2");
	pool_free(&said.pool);
}

static void widths_and_precisions_are_arguments(void **state)
{
	struct said said;

	(void)state;
	say(&said, "n=%*d s=%.*s");
	add_integer(&said, 5);
	add_integer(&said, 42);
	add_integer(&said, 3);
	add_text(&said, "abc");
	check(&said, "arg1 == 5 && arg2 == 42 && arg3 == 3", true);
	check(&said, "arg4 == \"abc\"", true);
	check(&said, "n == 42 && s == \"abc\"", true);
	pool_free(&said.pool);
	say(&said, "%2$s a=%1$d");
	add_integer(&said, 1);
	add_text(&said, "two");
	check(&said, "arg1 == 1 && arg2 == \"two\" && a == 1", true);
	pool_free(&said.pool);
}

static void arguments_of_the_function_are_counted_after_the_format(void **state)
{
	struct said said;

	(void)state;
	say(&said, "%d%d%d%s%d");
	add_integer(&said, 14);
	add_integer(&said, 0);
	add_integer(&said, 0);
	add_text(&said, "ident");
	add_integer(&said, 7);
	said.context.text = BINLOG_TEXT_SYSLOG;
	said.format =
		(struct definition_string){.bytes = "value=%d", .length = 8};
	check(&said, "arg1 == 7 && value == 7", true);
	check_neither(&said, "arg2 == 0");
	pool_free(&said.pool);
}

static void of_what_is_not_there_nothing_is_true(void **state)
{
	struct said said;

	(void)state;
	say(&said, "a=%d b=%s");
	add_integer(&said, 1);
	add_text(&said, "2");
	check_neither(&said, "arg3 == 1");
	check_neither(&said, "arg300 == 1");
	check_neither(&said, "c == 1");
	check_neither(&said, "b == 2");
	check_neither(&said, "a == \"1\"");
	check_neither(&said, "a ~ \"1\"");
	check_neither(&said, "a == 1 && c == 1");
	check(&said, "a == 1 || c == 1", true);
	check(&said, "c == 1 || a == 1", true);
	check(&said, "c == 1 && a == 2", false);
	check(&said, "!(c == 1 && a == 2)", true);
	said.context.text = BINLOG_TEXT_BYTES;
	check_neither(&said, "a == 1");
	pool_free(&said.pool);
}

static void an_argument_of_another_kind_is_not_there(void **state)
{
	struct said said;

	(void)state;
	say(&said, "a=%d b=%d");
	add_integer(&said, 1);
	add_integer(&said, 2);
	said.message.arguments[0].kind = BINLOG_ARG_F64;
	check_neither(&said, "a == 1");
	check_neither(&said, "a == 1 && b == 2");
	check_neither(&said, "a == 1 || b == 3");
	check_neither(&said, "!!(a == 1)");
	check(&said, "b == 2", true);
	said.message.count = 0;
	check_neither(&said, "b == 2");
	pool_free(&said.pool);
}

static void operators_bind_as_in_c(void **state)
{
	struct said said;

	(void)state;
	say(&said, "a=%d b=%d");
	add_integer(&said, 1);
	add_integer(&said, 2);
	check(&said, "a==1||a==2&&b==3", true);
	check(&said, "(a==1||a==2)&&b==3", false);
	check(&said, "!a==1||b==2", true);
	check(&said, "!(a==1||b==2)", false);
	check(&said, "!!a==1", true);
	check(&said, "a<=1&&a>=1&&b!=1", true);
	pool_free(&said.pool);
}

static void mistakes_are_told_with_their_column(void **state)
{
	static const struct {
		const char *text;
		const char *problem;
	} wrong[] = {
		{"", "column 1: a value"},
		{"size >", "column 7: a value"},
		{"size = 3", "column 6: no comparison"},
		{"size", "column 5: no comparison"},
		{"(a > 1", "column 1: this parenthesis"},
		{"a > 1)", "column 6: does not belong"},
		{"a > 1 b > 2", "column 7: does not belong"},
		{"a > 1 &&", "column 9: a value"},
		{"a == \"x", "column 6: the text has no end"},
		{"a == \"x\\\"", "column 6: the text has no end"},
		{"a == 'ab'", "column 6: not one character"},
		{"a ~ 3", "column 5: not a regular"},
		{"a ~ \"(\"", "column 5: not a regular"},
		{"a > 10k", "column 5: not a number"},
		{"a > 1.2.3", "column 5: not a number"},
		{"a > 99999999999999999999", "column 5: more than 64"},
		{"arg0 == 1", "column 1: arguments are counted"},
	};
	char problem[160];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_null(expression_new(
			wrong[i].text, problem, sizeof(problem)));
		if (strncmp(problem, wrong[i].problem,
			    strlen(wrong[i].problem)) != 0)
			fail_msg("\"%s\": %s", wrong[i].text, problem);
	}
}

static void size_and_depth_have_limits(void **state)
{
	static char text[8192];
	char problem[160];
	size_t i;

	(void)state;
	memset(text, '(', sizeof(text) - 1);
	assert_null(expression_new(text, problem, sizeof(problem)));
	memset(text, '!', sizeof(text) - 1);
	assert_null(expression_new(text, problem, sizeof(problem)));
	for (i = 0; i + 6 < sizeof(text); i += 6)
		memcpy(text + i, "a==1||", 6);
	assert_null(expression_new(text, problem, sizeof(problem)));
	text[0] = '\0';
	for (i = 0; i < 100; i++)
		sprintf(text + strlen(text), "a%zu == 1 || ", i);
	strcat(text, "b == 1");
	assert_null(expression_new(text, problem, sizeof(problem)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_compared_as_they_are_printed),
		cmocka_unit_test(large_numbers_are_exact),
		cmocka_unit_test(doubles_are_compared_as_doubles),
		cmocka_unit_test(texts_are_compared_byte_by_byte),
		cmocka_unit_test(texts_are_searched_for_regular_expressions),
		cmocka_unit_test(words_before_directives_name_them),
		cmocka_unit_test(widths_and_precisions_are_arguments),
		cmocka_unit_test(
			arguments_of_the_function_are_counted_after_the_format),
		cmocka_unit_test(of_what_is_not_there_nothing_is_true),
		cmocka_unit_test(an_argument_of_another_kind_is_not_there),
		cmocka_unit_test(operators_bind_as_in_c),
		cmocka_unit_test(mistakes_are_told_with_their_column),
		cmocka_unit_test(size_and_depth_have_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
