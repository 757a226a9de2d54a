#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include <cmocka.h>

#include "rules/levels.h"

static void the_first_eight_are_those_of_syslog(void **state)
{
	(void)state;
	assert_int_equal(LEVEL_emerg, LOG_EMERG);
	assert_int_equal(LEVEL_alert, LOG_ALERT);
	assert_int_equal(LEVEL_crit, LOG_CRIT);
	assert_int_equal(LEVEL_err, LOG_ERR);
	assert_int_equal(LEVEL_warning, LOG_WARNING);
	assert_int_equal(LEVEL_notice, LOG_NOTICE);
	assert_int_equal(LEVEL_info, LOG_INFO);
	assert_int_equal(LEVEL_debug, LOG_DEBUG);
}

static void each_level_is_found_by_its_name_and_number(void **state)
{
	int found;

	(void)state;
	for (int level = 0; level <= LEVEL_LAST; level++) {
		const char *name = level_name(level);
		char number[3] = {(char)('0' + level)};

		if (level > 9) {
			number[0] = '1';
			number[1] = (char)('0' + level - 10);
		}
		assert_true(level_named(name, strlen(name), &found));
		assert_int_equal(found, level);
		assert_true(level_named(number, strlen(number), &found));
		assert_int_equal(found, level);
	}
}

static void check_named(const char *name, int expected)
{
	int level = 99;

	assert_true(level_named(name, strlen(name), &level));
	assert_int_equal(level, expected);
}

static void levels_have_other_names(void **state)
{
	(void)state;
	check_named("panic", 0);
	check_named("ERROR", 3);
	check_named("Warn", 4);
	check_named("all", LEVEL_LAST);
	check_named("none", -1);
	check_named("07", 7);
}

static void what_is_no_level_is_refused(void **state)
{
	static const char *const names[] = {
		"", "er", "errors", "12", "-1", "1x", "007", " err"};
	int level;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_false(level_named(names[i], strlen(names[i]), &level));
	assert_false(level_named("errno", 6, &level));
	assert_true(level_named("errno", 3, &level));
	assert_null(level_name(-1));
	assert_null(level_name(LEVEL_LAST + 1));
}

/* In memory of its own, for the sanitizers. */
static int level_of(const char *text)
{
	size_t bytes = strlen(text);
	char *copy = memcpy(malloc(bytes + !bytes), text, bytes);
	int level = level_of_text(copy, bytes, -7);

	free(copy);
	return level;
}

static void check(const char *text, int expected)
{
	int level = level_of(text);

	if (level != expected)
		fail_msg("%s: %d, not %d", text, level, expected);
}

static void messages_say_how_important_they_are(void **state)
{
	(void)state;
	check("<3>disk full", 3);
	check("<30>started", 6);
	check("ERROR cannot open %s\n", LEVEL_err);
	check("[warn] %s", LEVEL_warning);
	check("[ WARN ] %s", LEVEL_warning);
	check("error: %s", LEVEL_err);
	check("Error opening %s", LEVEL_err);
	check("Warning! %s", -7);
	check("warning: unused", LEVEL_warning);
	check("WARNING %s", LEVEL_warning);
	check("FATAL: %s", LEVEL_crit);
	check("Fatal error: %s", LEVEL_crit);
	check("(EE) no screens", LEVEL_err);
	check("[D] x", LEVEL_debug);
	check("E: Unable to locate", LEVEL_err);
	check("NOTICE: x", LEVEL_notice);
	check("TRACE x", LEVEL_trace);
	check("*** DEBUG: x", LEVEL_debug);
	check("\033[31mERROR\033[0m x", LEVEL_err);
	check("INFO", LEVEL_info);
	check("info(%d)", LEVEL_info);
}

static void something_may_precede_it(void **state)
{
	(void)state;
	check("2026-11-21 17:00:05.25 ERROR x", LEVEL_err);
	check("2026-11-21T17:00:05Z [error] x", LEVEL_err);
	check("Nov 21 17:00:05 prog[12]: WARNING: x", LEVEL_warning);
	check("%s ERROR %s", LEVEL_err);
	check("%04d-%02d-%02d %-5s [notice] %s", LEVEL_notice);
	check("[%s] [%5d] CRITICAL %s", LEVEL_crit);
	check("[core:error] [pid %d] x", LEVEL_err);
	check("nginx: [emerg] %s", LEVEL_emerg);
	check("%s: error: %s", LEVEL_err);
	check("prog:\tERROR;x", LEVEL_err);
	check("prog:|error|x", LEVEL_err);
	check("prog:%s ERRor;x", -7);
	check("lvl=warn msg=x", LEVEL_warning);
	check("file.c:12:3: warning: x", LEVEL_warning);
	check("%s:%d: fatal error: x", LEVEL_crit);
	check("time=\"%s\" level=error msg=x", LEVEL_err);
	check("{\"level\":\"warning\",\"x\":1}", LEVEL_warning);
	check("{\"time\":%d,\"severity\": \"INFO\"}", LEVEL_info);
}

static void prose_says_nothing(void **state)
{
	static const char *const texts[] = {"", "hello %s", "errors: %d",
		"error rate is %d", "no error: %s", "the [error] is",
		"information_x", "packet: %d bytes", "all: x", "none: x",
		"<%d connection closed", "<b>bold</b>", "<192>x", "<1234>",
		"debugging: x", "%", "%-5", "[", "<", "Notice that", "level=%s",
		"level", "level=", "x", "C:\\error", "an error",
		"ERROR_CODE is 5"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		check(texts[i], -7);
}

static void nonsense_does_no_harm(void **state)
{
	static const char letters[] = "<[(%3E:]>)= \033er\"";
	char text[24];

	(void)state;
	srand(3);
	for (int i = 0; i < 300000; i++) {
		size_t bytes = (size_t)rand() % sizeof(text);

		for (size_t at = 0; at < bytes; at++)
			text[at] = letters[(size_t)rand() % sizeof(letters)];
		text[bytes - (bytes > 0)] = '\0';
		assert_in_range(level_of(text) + 7, 0, 7 + LEVEL_LAST);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_eight_are_those_of_syslog),
		cmocka_unit_test(each_level_is_found_by_its_name_and_number),
		cmocka_unit_test(levels_have_other_names),
		cmocka_unit_test(what_is_no_level_is_refused),
		cmocka_unit_test(messages_say_how_important_they_are),
		cmocka_unit_test(something_may_precede_it),
		cmocka_unit_test(prose_says_nothing),
		cmocka_unit_test(nonsense_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
