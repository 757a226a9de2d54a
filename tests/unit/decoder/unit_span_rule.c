#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/query/span_rule.h"

static struct span_rules rules;

static void forget_rules(void)
{
	while (rules.count > 0) {
		rules.count--;
		free(rules.all[rules.count].start);
		free(rules.all[rules.count].done);
	}
}

static int forget_rules_of_test(void **state)
{
	(void)state;
	forget_rules();
	return 0;
}

static const struct span_rule *parse(const char *text)
{
	forget_rules();
	assert_null(span_rules_add(&rules, text));
	assert_int_equal(rules.count, 1);
	return &rules.all[0];
}

static void assert_named(const struct span_name *name, const char *text)
{
	assert_int_equal(name->bytes, strlen(text));
	assert_memory_equal(name->text, text, name->bytes);
}

static void blanks_around_a_pattern_do_not_count(void **state)
{
	const struct span_rule *rule = parse(" start %d  =>\tdone %d ");

	(void)state;
	assert_string_equal(rule->start, "start %d");
	assert_string_equal(rule->done, "done %d");
	assert_int_equal(rule->part_count, 0);
}

static void took_is_no_pattern(void **state)
{
	(void)state;
	forget_rules();
	rules.took = false;
	assert_null(span_rules_add(&rules, "took"));
	assert_int_equal(rules.count, 0);
	assert_true(rules.took);
	assert_non_null(span_rules_add(&rules, "taken"));
	assert_int_equal(parse("took => took")->part_count, 0);
}

static void names_stand_behind_by(void **state)
{
	const struct span_rule *rule =
		parse("a => b by arg12,pid,thread,id=arg2 ");

	(void)state;
	assert_string_equal(rule->done, "b");
	assert_int_equal(rule->part_count, 4);
	assert_int_equal(rule->parts[0].start.number, 12);
	assert_int_equal(rule->parts[0].of, SPAN_PART_ARGUMENT);
	assert_int_equal(rule->parts[1].of, SPAN_PART_PID);
	assert_int_equal(rule->parts[2].of, SPAN_PART_THREAD);
	assert_named(&rule->parts[3].start, "id");
	assert_named(&rule->parts[3].done, "arg2");
	assert_int_equal(rule->parts[3].done.number, 2);
}

static void by_may_be_a_word_of_a_format(void **state)
{
	const struct span_rule *rule = parse("sent %d => seen by user %s");

	(void)state;
	assert_string_equal(rule->done, "seen by user %s");
	assert_int_equal(rule->part_count, 0);
	rule = parse("got by %s => seen by user %s by size");
	assert_string_equal(rule->start, "got by %s");
	assert_string_equal(rule->done, "seen by user %s");
	assert_named(&rule->parts[0].start, "size");
}

static void what_is_no_number_of_an_argument_is_a_word(void **state)
{
	const struct span_rule *rule = parse("a => b by arg,args2,arg99999999");
	size_t i;

	(void)state;
	for (i = 0; i < rule->part_count; i++)
		assert_int_equal(rule->parts[i].start.number, 0);
}

static void what_is_no_rule_is_refused(void **state)
{
	static const char *const wrong[] = {"", "a", "=>", "a =>", "=> b",
		"a => b by ,", "a => b by c,", "a => b by c=", "a => b by =c",
		"a => b by 1,2,3,4,5,6,7,8,9"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		forget_rules();
		assert_non_null(span_rules_add(&rules, wrong[i]));
		assert_int_equal(rules.count, 0);
	}
}

static void there_is_room_for_so_many_and_no_more(void **state)
{
	size_t i;

	(void)state;
	forget_rules();
	for (i = 0; i < SPAN_RULES_MAX; i++)
		assert_null(span_rules_add(&rules, "a => b"));
	assert_non_null(span_rules_add(&rules, "a => b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blanks_around_a_pattern_do_not_count),
		cmocka_unit_test(took_is_no_pattern),
		cmocka_unit_test(names_stand_behind_by),
		cmocka_unit_test(by_may_be_a_word_of_a_format),
		cmocka_unit_test(what_is_no_number_of_an_argument_is_a_word),
		cmocka_unit_test(what_is_no_rule_is_refused),
		cmocka_unit_test(there_is_room_for_so_many_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, forget_rules_of_test);
}
