#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/policy.h"

static struct policy_item only(const char *list)
{
	struct policy_item item, next;

	assert_true(policy_next(&list, &item));
	assert_false(policy_next(&list, &next));
	return item;
}

static void check_streams(
	const char *list, unsigned streams, enum policy_mode mode)
{
	struct policy_item item = only(list);

	assert_null(item.wrong);
	assert_int_equal(item.streams, streams);
	assert_int_equal(item.mode, mode);
}

static void check_files(
	const char *list, const char *glob, enum policy_mode mode)
{
	struct policy_item item = only(list);

	assert_null(item.wrong);
	assert_int_equal(item.streams, 0);
	assert_int_equal(item.glob_bytes, strlen(glob));
	assert_memory_equal(item.glob, glob, strlen(glob));
	assert_int_equal(item.mode, mode);
}

static void a_stream_has_a_mode(void **state)
{
	(void)state;
	check_streams("stdout=auto", POLICY_STDOUT, POLICY_AUTO);
	check_streams("stderr=replace", POLICY_STDERR, POLICY_REPLACE);
	check_streams("syslog=tee", POLICY_SYSLOG, POLICY_TEE);
	check_streams("all=pass", POLICY_STDOUT | POLICY_STDERR | POLICY_SYSLOG,
		POLICY_PASS);
}

static void files_may_have_a_mode(void **state)
{
	(void)state;
	check_files("file:/var/log/*.log=replace", "/var/log/*.log",
		POLICY_REPLACE);
	check_files("file:x", "x", POLICY_AUTO);
	check_files("file:a=b=tee", "a=b", POLICY_TEE);
	check_files("file:file:=pass", "file:", POLICY_PASS);
}

static void items_come_in_order_and_empty_ones_are_skipped(void **state)
{
	const char *list = ",,stdout=tee,,file:*,nonsense,";
	struct policy_item item;

	(void)state;
	assert_true(policy_next(&list, &item));
	assert_int_equal(item.streams, POLICY_STDOUT);
	assert_true(policy_next(&list, &item));
	assert_int_equal(item.glob_bytes, 1);
	assert_true(policy_next(&list, &item));
	assert_int_equal(item.bytes, strlen("nonsense"));
	assert_non_null(item.wrong);
	assert_false(policy_next(&list, &item));
	assert_false(policy_next(&list, &item));
}

static void what_is_wrong_is_said(void **state)
{
	static const char *const lists[] = {"stdout", "stdout=", "stdout=tea",
		"stdout=teee", "stdout=te", "out=tee", "=tee", "stdoutx=tee",
		"std=tee", "file:", "file:=tee", "file:a=b", "file=tee", "all"};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (!only(lists[i]).wrong)
			fail_msg("nothing wrong with \"%s\"", lists[i]);
}

static void a_mode_has_its_name(void **state)
{
	(void)state;
	assert_string_equal(policy_mode_name(POLICY_REPLACE), "replace");
	assert_string_equal(policy_mode_name(POLICY_PASS), "pass");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_has_a_mode),
		cmocka_unit_test(files_may_have_a_mode),
		cmocka_unit_test(
			items_come_in_order_and_empty_ones_are_skipped),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(a_mode_has_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
