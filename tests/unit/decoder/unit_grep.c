#include <ctype.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/query/grep.h"
#include "tests/support/random_value.h"

static bool finds(const char *pattern, const char *text)
{
	char problem[160];
	struct grep *grep = grep_new(pattern, problem, sizeof(problem));
	bool found;

	if (!grep)
		fail_msg("\"%s\": %s", pattern, problem);
	found = grep_finds(grep, text, strlen(text));
	grep_free(grep);
	return found;
}

static void a_plain_pattern_is_found_anywhere(void **state)
{
	(void)state;
	assert_true(finds("", ""));
	assert_true(finds("", "abc"));
	assert_true(finds("abc", "abc"));
	assert_true(finds("b", "abc"));
	assert_true(finds("aab", "aaaab"));
	assert_false(finds("abcd", "abc"));
	assert_false(finds("abc", ""));
	assert_true(finds("\xc3\xa4", "\xc3\xa4h"));
	assert_true(finds("a\\.b", "a.b"));
	assert_false(finds("a\\.b", "a-b"));
}

static void small_letters_stand_for_both_cases(void **state)
{
	(void)state;
	assert_true(finds("error 5", "ERROR 5"));
	assert_true(finds("err[o]r", "ErRoR"));
	assert_false(finds("Error", "error"));
	assert_false(finds("E[r]ror", "error"));
	assert_true(finds("Error", "an Error"));
	assert_true(finds("@\\[`", "@[`"));
	assert_false(finds("@\\[`", "`{@"));
}

static void lines_begin_and_end_inside_of_a_text(void **state)
{
	(void)state;
	assert_true(finds("^two$", "one\ntwo\nthree"));
	assert_false(finds("one.two", "one\ntwo"));
	assert_true(finds("^one", "one"));
	assert_false(finds("^wo", "two"));
}

static void texts_need_no_terminator_and_may_have_zeros(void **state)
{
	static const char text[] = "ab\0cdef";
	char problem[160];
	struct grep *grep = grep_new("c.+", problem, sizeof(problem));

	(void)state;
	assert_non_null(grep);
	assert_true(grep_finds(grep, text, 5));
	assert_false(grep_finds(grep, text, 4));
	grep_free(grep);
}

static void what_is_no_expression_is_refused(void **state)
{
	static const char *const wrong[] = {"(", "[a", "a{2,1}", "*a", "a\\"};
	char problem[160];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_null(grep_new(wrong[i], problem, sizeof(problem)));
		assert_memory_equal(problem, "not a regular expression", 24);
	}
}

static const char *needle_of(const char *pattern, bool wanted_whole)
{
	static char needle[64];
	char problem[160];
	struct grep *grep = grep_new(pattern, problem, sizeof(problem));
	const char *found;
	size_t bytes;
	bool folds;
	bool whole;

	assert_non_null(grep);
	found = grep_needle(grep, &bytes, &folds, &whole);
	memcpy(needle, found ? found : "", found ? bytes : 0);
	needle[found ? bytes : 0] = '\0';
	assert_int_equal(whole, wanted_whole);
	grep_free(grep);
	return needle;
}

static void a_needle_is_what_every_match_contains(void **state)
{
	(void)state;
	assert_string_equal(needle_of("plain", true), "plain");
	assert_string_equal(needle_of("a\\.b", true), "a.b");
	assert_string_equal(needle_of("took [0-9]+ms", false), "took ");
	assert_string_equal(needle_of("^begin", false), "begin");
	assert_string_equal(needle_of("a|bc", false), "");
	assert_string_equal(needle_of("x(a|b)longer", false), "longer");
	assert_string_equal(needle_of("abc*d", false), "ab");
	assert_string_equal(needle_of("ab{0,1}c", false), "a");
	assert_string_equal(needle_of("[]x]ab", false), "ab");
	assert_string_equal(needle_of("[[.].]x]yz", false), "yz");
	assert_string_equal(needle_of("a\\wbc", false), "bc");
}

/* Expressions of a small alphabet, so that they match now and then. */
static void random_pattern(char *to, size_t size)
{
	static const char *const parts[] = {"a", "b", "c", "a", "b", "C", ".",
		"*", "+", "?", "(", ")", "|", "[ab]", "[^a]", "^", "$", "{1,2}",
		"\\.", "\\b", "[]a]", "[[:alpha:]]", "[[...]]", "[[.].]]",
		"\n"};
	unsigned count = 1 + below(7);

	*to = '\0';
	while (count-- > 0) {
		const char *part = parts[below(sizeof(parts) / sizeof(*parts))];

		if (strlen(to) + strlen(part) < size)
			strcat(to, part);
	}
}

static void random_text(char *to, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		to[i] = "abcABC.]\n "[below(10)];
	to[bytes] = '\0';
}

static bool is_found_by_libc(const regex_t *regex, const char *text)
{
	return regexec(regex, text, 0, NULL, 0) == 0;
}

static void any_expression_finds_what_that_of_libc_finds(void **state)
{
	char pattern[64];
	char problem[160];
	char text[32];
	size_t found = 0;
	size_t i;
	size_t j;

	(void)state;
	random_state = 1;
	for (i = 0; i < 20000; i++) {
		int flags = REG_EXTENDED | REG_NEWLINE | REG_NOSUB;
		struct grep *grep;
		regex_t regex;

		random_pattern(pattern, sizeof(pattern));
		if (!strpbrk(pattern, "ABC"))
			flags |= REG_ICASE;
		grep = grep_new(pattern, problem, sizeof(problem));
		if (regcomp(&regex, pattern, flags) != 0) {
			if (grep)
				fail_msg("\"%s\" was taken", pattern);
			continue;
		}
		assert_non_null(grep);
		for (j = 0; j < 20; j++) {
			bool wanted;

			random_text(text, below(12));
			wanted = is_found_by_libc(&regex, text);
			found += wanted;
			if (grep_finds(grep, text, strlen(text)) != wanted)
				fail_msg("\"%s\" in \"%s\"", pattern, text);
		}
		regfree(&regex);
		grep_free(grep);
	}
	assert_true(found > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_pattern_is_found_anywhere),
		cmocka_unit_test(small_letters_stand_for_both_cases),
		cmocka_unit_test(lines_begin_and_end_inside_of_a_text),
		cmocka_unit_test(texts_need_no_terminator_and_may_have_zeros),
		cmocka_unit_test(what_is_no_expression_is_refused),
		cmocka_unit_test(a_needle_is_what_every_match_contains),
		cmocka_unit_test(any_expression_finds_what_that_of_libc_finds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
