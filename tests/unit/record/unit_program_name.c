#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "record/program_name.h"

static void is_called(
	const char *executable, const char *argument, const char *name)
{
	assert_string_equal(binlog_program_name(executable, argument), name);
}

static void it_is_what_people_have_typed(void **state)
{
	(void)state;
	is_called("/usr/bin/redis-check-rdb", "redis-server", "redis-server");
	is_called("/usr/bin/redis-check-rdb", "/usr/bin/redis-server",
		"redis-server");
	is_called("/usr/bin/python3.11", "python3", "python3");
	is_called("/usr/bin/busybox", "ls", "ls");
	is_called("", "./a", "a");
}

static void a_login_shell_has_its_name(void **state)
{
	(void)state;
	is_called("/usr/bin/bash", "-bash", "bash");
}

static void what_is_no_name_gives_way_to_the_file(void **state)
{
	char longest[BINLOG_PROGRAM_NAME_MAX + 2];

	(void)state;
	is_called("/usr/bin/a", NULL, "a");
	is_called("/usr/bin/a", "", "a");
	is_called("/usr/bin/a", "-", "a");
	is_called("/usr/bin/a", "--b", "a");
	is_called("/usr/bin/a", "b/", "a");
	is_called("/usr/bin/a", "b: of somebody", "a");
	is_called("/usr/bin/a", "b\n", "a");
	is_called("/usr/bin/a", "b\x7f", "a");
	memset(longest, 'b', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	is_called("/usr/bin/a", longest, "a");
	longest[BINLOG_PROGRAM_NAME_MAX] = '\0';
	is_called("/usr/bin/a", longest, longest);
	is_called("", "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_what_people_have_typed),
		cmocka_unit_test(a_login_shell_has_its_name),
		cmocka_unit_test(what_is_no_name_gives_way_to_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
