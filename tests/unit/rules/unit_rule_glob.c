#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/rule_parser.h"
#include "rules/rule_tree.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

static bool matches(const char *glob, const char *text)
{
	struct rule_glob made;

	assert_true(rule_glob_set(&made, glob, strlen(glob)));
	return rule_glob_matches(&made, text, strlen(text));
}

static void a_backslash_at_the_end_is_one(void **state)
{
	(void)state;
	assert_true(matches("a\\", "a\\"));
	assert_false(matches("a\\", "a"));
	assert_true(matches("*\\?\\", "x?\\"));
}

/* Of the series of Thue and Morse, 0 or 1. */
static unsigned series(unsigned i)
{
	return (unsigned)__builtin_popcount(i) & 1;
}

/* Sums modulo 2^64 of such a series and of its opposite are the same. */
static void texts_of_one_sum_are_told_apart(void **state)
{
	enum { MOST = 2048 };
	static char glob[MOST + 3], text[MOST + 1];
	unsigned i;

	(void)state;
	glob[0] = glob[MOST + 1] = '*';
	for (i = 0; i < MOST; i++) {
		glob[1 + i] = (char)('a' + series(i));
		text[i] = (char)('b' - series(i));
	}
	assert_false(matches(glob, text));
	memcpy(text, glob + 1, MOST);
	assert_true(matches(glob, text));
}

static void levels_are_names_or_ranges_but_not_none(void **state)
{
	static const char *const wrong[] = {"none", "none..err", "", "nothing"};
	uint32_t low, high;
	bool is_range;
	size_t i;

	(void)state;
	for (i = 0; i < LENGTH(wrong); i++)
		assert_false(rule_value_levels(
			wrong[i], strlen(wrong[i]), &low, &high, &is_range));
	assert_true(rule_value_levels("err", 3, &low, &high, &is_range));
	assert_false(is_range);
	assert_int_equal(high, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_backslash_at_the_end_is_one),
		cmocka_unit_test(texts_of_one_sum_are_told_apart),
		cmocka_unit_test(levels_are_names_or_ranges_but_not_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
