/* Names that were mistyped: distances against their definition, and who is
 * meant by what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/suggest.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* As it is defined: of the first letters of both, by all ways. */
static size_t defined(const char *one, size_t i, const char *other, size_t j)
{
	size_t distance;

	if (i == 0 || j == 0)
		return i + j;
	distance = least(defined(one, i - 1, other, j) + 1,
		defined(one, i, other, j - 1) + 1);
	distance = least(distance, defined(one, i - 1, other, j - 1) +
					   (one[i - 1] != other[j - 1]));
	if (i > 1 && j > 1 && one[i - 1] == other[j - 2] &&
		one[i - 2] == other[j - 1])
		distance =
			least(distance, defined(one, i - 2, other, j - 2) + 1);
	return distance;
}

static void fill(char *word)
{
	size_t length = (size_t)rand() % 7;
	size_t i;

	for (i = 0; i < length; i++)
		word[i] = (char)('a' + rand() % 3);
	word[length] = '\0';
}

static void distances_are_those_of_the_definition(void **state)
{
	char one[8], other[8];
	int i;

	(void)state;
	srand(1);
	for (i = 0; i < 3000; i++) {
		fill(one);
		fill(other);
		assert_int_equal(suggest_distance(one, other),
			defined(one, strlen(one), other, strlen(other)));
	}
}

static void capital_letters_are_no_mistake(void **state)
{
	(void)state;
	assert_int_equal(suggest_distance("GREP", "grep"), 0);
}

static void long_names_are_not_compared(void **state)
{
	char name[SUGGEST_LENGTH_MAX + 2];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[SUGGEST_LENGTH_MAX + 1] = '\0';
	assert_true(suggest_distance(name, "x") == SIZE_MAX);
	assert_true(suggest_distance("x", name) == SIZE_MAX);
	name[SUGGEST_LENGTH_MAX] = '\0';
	assert_int_equal(suggest_distance(name, "x"), SUGGEST_LENGTH_MAX - 1);
}

static const char *const names[] = {
	"grep", "group", "columns", "color", "no-pager", "pid"};

static const char *meant(const char *text)
{
	return suggest_nearest(text, names, sizeof(names) / sizeof(*names));
}

static void the_nearest_is_meant(void **state)
{
	(void)state;
	assert_string_equal(meant("grpe"), "grep");
	assert_string_equal(meant("colums"), "columns");
	assert_string_equal(meant("colour"), "color");
	assert_string_equal(meant("no_pager"), "no-pager");
	assert_string_equal(meant("pdi"), "pid");
}

static void a_beginning_is_meant_if_it_is_of_one_alone(void **state)
{
	(void)state;
	assert_string_equal(meant("no-"), "no-pager");
	assert_string_equal(meant("colu"), "columns");
	assert_null(meant("gr"));
}

static void what_is_far_is_not_meant(void **state)
{
	(void)state;
	assert_null(meant("verbose"));
	assert_null(meant(""));
	assert_null(meant("xxxx"));
	assert_null(suggest_nearest("grep", NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_are_those_of_the_definition),
		cmocka_unit_test(capital_letters_are_no_mistake),
		cmocka_unit_test(long_names_are_not_compared),
		cmocka_unit_test(the_nearest_is_meant),
		cmocka_unit_test(a_beginning_is_meant_if_it_is_of_one_alone),
		cmocka_unit_test(what_is_far_is_not_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
