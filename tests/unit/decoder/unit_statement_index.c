#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/statements/statement_index.h"

static void add(struct statement_index *index, const char *text,
	uint64_t address, uint64_t function)
{
	statement_index_add(index, text, strlen(text),
		&(struct statement_place){address, function});
}

/* Null: none. */
static const char *find(struct statement_index *index, const char *text,
	struct statement_found *found)
{
	return statement_index_find(index, text, strlen(text), found)
		       ? found->entry->format->text
		       : NULL;
}

static void expect(
	struct statement_index *index, const char *text, const char *wanted)
{
	struct statement_found found;
	const char *got = find(index, text, &found);

	if (!wanted)
		assert_null(got);
	else
		assert_string_equal(got ? got : "(none)", wanted);
}

static void the_most_literal_one_is_found(void **state)
{
	struct statement_index index = {0};

	(void)state;
	add(&index, "Accepted %s", 1, 1);
	add(&index, "Accepted %s for %s from %s port %d", 2, 2);
	add(&index, "%s for root", 3, 3);
	statement_index_finish(&index);
	expect(&index, "Accepted key for root from ::1 port 22",
		"Accepted %s for %s from %s port %d");
	expect(&index, "Accepted key", "Accepted %s");
	expect(&index, "key for root", "%s for root");
	expect(&index, "Rejected key", NULL);
	statement_index_free(&index);
}

static void it_may_stand_behind_what_loggers_put_before_it(void **state)
{
	static const char *const before[] = {"",
		"Nov 24 16:30:01 host sshd[1]: ",
		"2026/11/24 16:30:01 [error] 1#0: *7 ",
		"debug1: ", "2026-11-24T16:30:01+01:00 host-2.net ident: ",
		"1:M 24 Nov 2026 16:30:01.123 # "};
	struct statement_index index = {0};
	struct statement_found found;
	char text[128];
	size_t i;

	(void)state;
	add(&index, "Accepted %d", 1, 1);
	add(&index, "%d were accepted", 1, 1);
	statement_index_finish(&index);
	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		snprintf(text, sizeof(text), "%sAccepted 3", before[i]);
		assert_non_null(find(&index, text, &found));
		assert_int_equal(found.begin, strlen(before[i]));
		snprintf(text, sizeof(text), "%s3 were accepted", before[i]);
		assert_non_null(find(&index, text, &found));
		assert_int_equal(found.match.captures[0].bytes, 1);
	}
	expect(&index, "nobody has Accepted 3", NULL);
	statement_index_free(&index);
}

static void that_there_are_several_is_told(void **state)
{
	struct statement_index index = {0};
	struct statement_found found;

	(void)state;
	add(&index, "one way or %s", 1, 1);
	add(&index, "%s way or two", 2, 2);
	add(&index, "in one place %d", 3, 3);
	add(&index, "in one place %d", 4, 3);
	add(&index, "in two places %d", 5, 5);
	add(&index, "in two places %d", 6, 6);
	add(&index, "in a table %d", 0, 0);
	add(&index, "in a table %d", 7, 7);
	statement_index_finish(&index);
	assert_non_null(find(&index, "one way or two", &found));
	assert_true(found.several);
	assert_non_null(find(&index, "one way or three", &found));
	assert_false(found.several);
	assert_non_null(find(&index, "in one place 1", &found));
	assert_false(found.several);
	assert_non_null(find(&index, "in two places 1", &found));
	assert_true(found.several);
	assert_non_null(find(&index, "in a table 1", &found));
	assert_false(found.several);
	assert_int_equal(found.entry->place.address, 7);
	statement_index_free(&index);
}

static void what_could_be_any_text_is_not_in_it(void **state)
{
	struct statement_index index = {0};

	(void)state;
	add(&index, "%s: %s", 1, 1);
	add(&index, "%s %d", 1, 1);
	add(&index, "is %s", 1, 1);
	add(&index, "---- %s ----", 1, 1);
	add(&index, "name[%d]: ", 1, 1);
	statement_index_finish(&index);
	expect(&index, "a: b", NULL);
	expect(&index, "a 1", NULL);
	expect(&index, "is it", NULL);
	expect(&index, "---- a ----", NULL);
	expect(&index, "name[12]: text", NULL);
	statement_index_free(&index);
}

static void each_of_many_is_found(void **state)
{
	struct statement_index index = {0};
	char text[64];
	unsigned i;

	(void)state;
	for (i = 0; i < 30000; i++) {
		snprintf(text, sizeof(text), "%x: the statement of %%s", i);
		add(&index, text, i + 1, i + 1);
		snprintf(text, sizeof(text), "w%xord and %%d", i);
		add(&index, text, i + 1, i + 1);
	}
	statement_index_finish(&index);
	for (i = 0; i < 30000; i += 7) {
		char wanted[64];

		snprintf(wanted, sizeof(wanted), "w%xord and %%d", i);
		snprintf(text, sizeof(text), "[12] w%xord and 34", i);
		expect(&index, text, wanted);
	}
	statement_index_free(&index);
}

static void nothing_is_found_in_an_empty_one(void **state)
{
	struct statement_index index = {0};

	(void)state;
	statement_index_finish(&index);
	expect(&index, "text", NULL);
	expect(&index, "", NULL);
	statement_index_free(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_most_literal_one_is_found),
		cmocka_unit_test(
			it_may_stand_behind_what_loggers_put_before_it),
		cmocka_unit_test(that_there_are_several_is_told),
		cmocka_unit_test(what_could_be_any_text_is_not_in_it),
		cmocka_unit_test(each_of_many_is_found),
		cmocka_unit_test(nothing_is_found_in_an_empty_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
