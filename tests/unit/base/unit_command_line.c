#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/command_line.h"

#define ARGUMENTS_MAX 16

enum { SIZE, QUIET, ONLY_LONG };

static const struct command_option options[] = {
	[SIZE] = {"size", 's', "BYTES", "how much", "APP_SIZE"},
	[QUIET] = {"quiet", 'q', NULL, "say nothing", NULL},
	[ONLY_LONG] = {"only-long", 0, NULL, "has no letter", NULL},
};

struct seen {
	char text[256];
};

static const char *take(void *closure, int option, const char *value)
{
	struct seen *seen = closure;
	size_t used = strlen(seen->text);

	snprintf(seen->text + used, sizeof(seen->text) - used, "%d=%s;", option,
		value ? value : "");
	return value && strcmp(value, "wrong") == 0 ? "not a size" : NULL;
}

static struct command_line read_line(
	struct seen *seen, bool stops, const char *const *arguments)
{
	struct command_line line = {.command = "app",
		.options = options,
		.count = 3,
		.stops = stops,
		.apply = take,
		.closure = seen};
	static char *given[ARGUMENTS_MAX];
	int count;

	/* getopt changes their order. */
	for (count = 0; arguments[count]; count++)
		given[count] = (char *)(uintptr_t)arguments[count];
	given[count] = NULL;
	seen->text[0] = '\0';
	optind = 0;
	if (!command_line_read(&line, count, given))
		line.problem[0] = '\0';
	return line;
}

#define READ(seen, stops, ...)                                                 \
	read_line(seen, stops, (const char *const[]){"app", __VA_ARGS__, NULL})

static void options_are_found_however_they_are_given(void **state)
{
	struct seen seen;
	struct command_line line = READ(&seen, false, "-qs", "1", "--size=2",
		"--size", "3", "x", "-s4", "--only-long", "--quiet", "y");

	(void)state;
	assert_string_equal(line.problem, "");
	assert_string_equal(seen.text, "1=;0=1;0=2;0=3;0=4;2=;1=;");
	assert_int_equal(line.rest_count, 2);
	assert_string_equal(line.rest[0], "x");
	assert_string_equal(line.rest[1], "y");
	assert_null(line.rest[2]);
}

static void those_behind_an_argument_are_another_commands(void **state)
{
	struct seen seen;
	struct command_line line =
		READ(&seen, true, "-q", "ls", "-l", "--size=2");

	(void)state;
	assert_string_equal(line.problem, "");
	assert_string_equal(seen.text, "1=;");
	assert_int_equal(line.rest_count, 3);
	assert_string_equal(line.rest[0], "ls");
}

static void everything_behind_two_dashes_is_an_argument(void **state)
{
	struct seen seen;
	struct command_line line = READ(&seen, false, "-q", "--", "-x");

	(void)state;
	assert_string_equal(line.problem, "");
	assert_int_equal(line.rest_count, 1);
	assert_string_equal(line.rest[0], "-x");
}

static void what_is_wrong_is_named(void **state)
{
	struct seen seen;

	(void)state;
	assert_string_equal(READ(&seen, false, "--sise=3").problem,
		"--sise=3: no such option: did you mean --size? See app "
		"--help");
	assert_string_equal(READ(&seen, false, "--else").problem,
		"--else: no such option: see app --help");
	assert_string_equal(READ(&seen, false, "-qx", "y").problem,
		"-x: no such option: see app --help");
	assert_string_equal(READ(&seen, false, "-s").problem,
		"-s: its argument is missing: see app --help");
	assert_string_equal(READ(&seen, false, "--size").problem,
		"--size: its argument is missing: see app --help");
	assert_string_equal(READ(&seen, false, "--quiet=3").problem,
		"--quiet=3: it takes no argument: see app --help");
	assert_string_equal(READ(&seen, false, "-s", "wrong", "-q").problem,
		"--size=wrong: not a size");
	assert_string_equal(seen.text, "0=wrong;");
}

static void help_lists_all_of_them(void **state)
{
	static const char wanted[] = "  -s, --size=BYTES  how much [APP_SIZE]\n"
				     "  -q, --quiet       say nothing\n"
				     "      --only-long   has no letter\n";
	char text[256];

	(void)state;
	assert_int_equal(command_line_help(options, 3, text, sizeof(text)),
		sizeof(wanted) - 1);
	assert_string_equal(text, wanted);
	assert_int_equal(command_line_help(options, 3, text, 10), 9);
	assert_string_equal(text, "  -s, --s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_found_however_they_are_given),
		cmocka_unit_test(those_behind_an_argument_are_another_commands),
		cmocka_unit_test(everything_behind_two_dashes_is_an_argument),
		cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(help_lists_all_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
