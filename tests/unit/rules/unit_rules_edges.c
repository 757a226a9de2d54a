/* Rules at the edges: no room for them, words that are almost right, and what
 * little may be known of a call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/world/rules_check.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* What is wrong with the text; null: nothing. */
static const char *complaint(const char *text, size_t room)
{
	struct rules_error error = {0};
	void *memory = malloc(room ? room : 1);
	const struct rules *rules =
		rules_parse(text, strlen(text), memory, room, &error);

	free(memory);
	assert_true(!rules == (error.what != NULL));
	return error.what;
}

/* The least that is enough, up to there nothing is. */
static void without_room_it_is_said(void **state)
{
	static const char *const texts[] = {"drop", "level err", "level 3 drop",
		"program a drop; pass", "format a level info",
		"format a depth 3", "format a category c", "rate 10/1s",
		"sample 1/100", "sample 1us/1s", "redact arg 2 hash",
		"redact usual", "redact *", "redact off", "redact name length",
		"drop level err", "at a+0x1,0x2 drop", "through a+0x1,0x2 drop",
		"mark off", "mark m arg 1",
		"trigger since m over 5ms before 1s after 2s", "trigger off",
		"trigger"};

	(void)state;
	for (size_t i = 0; i < LENGTH(texts); i++) {
		size_t room = rules_bytes(strlen(texts[i]));

		assert_null(complaint(texts[i], room));
		while (room > 0 && !complaint(texts[i], room - 1))
			room--;
		assert_true(room > 0);
		while (room-- > 0)
			assert_string_equal(
				complaint(texts[i], room), "too many rules");
	}
}

/* NULL: it is right. */
static const struct {
	const char *text, *what;
} almost_right[] = {
	{"level", "no value"},
	{"level = drop", "no such level"},
	{"line 5- drop", NULL},
	{"line -5 drop", NULL},
	{"line - drop", "not a line"},
	{"line 7-5 drop", "not a line"},
	{"line 4294967296 drop", "not a line"},
	{"line 1-4294967296 drop", "not a line"},
	{"line \"\" drop", "not a line"},
	{"level \"\" drop", "no such level"},
	{"level err- drop", NULL},
	{"level err. drop", "no such level"},
	{"level err.x drop", "no such level"},
	{"level -err drop", NULL},
	{"level unknown-err drop", "no such level"},
	{"level err-unknown drop", "no such level"},
	{"drop level -1", "no such level"},
	{"depth 64", NULL},
	{"depth 0", NULL},
	{"depth 65", "not a number of frames"},
	{"depth x", "not a number of frames"},
	{"rate 1", "no rate"},
	{"rate x/1s", "no rate"},
	{"rate 1/x", "no rate"},
	{"rate 0/1s", "no rate"},
	{"rate 1/0s", "no rate"},
	{"rate 4294967295/1s", NULL},
	{"rate 4294967296/1s", "no rate"},
	{"sample 1/0", "no sample"},
	{"sample 1/4294967295", NULL},
	{"sample 1/4294967296", "no sample"},
	{"sample 1/x", "no sample"},
	{"sample 2/100", "no sample"},
	{"sample 1/10 by arg 64", NULL},
	{"sample 1/10 by arg 65", "no such argument"},
	{"sample 1/10 by arg 0", "no such argument"},
	{"sample 1/10 by arg", "no number of an argument"},
	{"sample 1/10 by", "by what is not known"},
	{"sample 1/10 by pid", "by what is not known"},
	{"sample 1/10 per", "per what is not known"},
	{"sample 1/10 per thread", "per what is not known"},
	{"sample 1ms/10ms by thread", "no such word"},
	{"sample 1us/x", "no sample"},
	{"sample 0us/1s", "no sample"},
	{"sample 2s/1s", "no sample"},
	{"sample 12", "no sample"},
	{"redact", "nothing to redact"},
	{"redact drop", "nothing to redact"},
	{"redact length", "nothing to redact"},
	{"redact hash", "nothing to redact"},
	{"redact arg", "no number of an argument"},
	{"redact arg 0", "no such argument"},
	{"redact arg 65", "no such argument"},
	{"redact a drop", NULL},
	{"redact a; drop", NULL},
	{"category \"\"", "not a name"},
	{"category 'a\\b'", "not a name"},
	{"mark", "no name"},
	{"mark m arg 0", "no such argument"},
	{"trigger since", "no name"},
	{"trigger since m", "no limit"},
	{"trigger since m over", "no time"},
	{"trigger since m over x", "not a time"},
	{"trigger before", "no time"},
	{"trigger before x", "not a time"},
	{"trigger after x", "not a time"},
	{"at + drop", "no place"},
	{"at a drop", "no place"},
	{"at a+ drop", "no such offset"},
	{"at a+x drop", "no such offset"},
	{"at a+0x1, drop", "no such offset"},
	{"at [a+0x1 drop", "a set without an end"},
	{"through drop", "no place"},
	{"through a+0x1,2 drop", "no such offset"},
	{"through a+0x1 not through b+0x2 drop", NULL},
	{"not", "no condition"},
	{"not drop", "no such word"},
	{"\"level\" err drop", "no such word"},
	{"program a", "nothing to do"},
	{"not level err", "nothing to do"},
	{"level err program a", "nothing to do"},
	{"level err-info", "nothing to do"},
	{"drop program a", "a condition after an action"},
	{"drop nonsense", "no such word"},
	{"stream file: drop", "no such stream"},
	{"stream stdout, drop", "no such stream"},
};

static void what_is_almost_right_is_refused(void **state)
{
	size_t bad = 0;

	(void)state;
	for (size_t i = 0; i < LENGTH(almost_right); i++) {
		const char *what = complaint(almost_right[i].text,
			rules_bytes(strlen(almost_right[i].text)));

		if (!what != !almost_right[i].what ||
			(what && strcmp(what, almost_right[i].what) != 0)) {
			print_error("%s: %s, not %s\n", almost_right[i].text,
				what ? what : "right",
				almost_right[i].what ? almost_right[i].what
						     : "right");
			bad++;
		}
	}
	assert_int_equal(bad, 0);
}

static void a_name_has_an_end(void **state)
{
	char text[RULES_GLOB_MAX + 16] = "mark ";

	(void)state;
	memset(text + 5, 'n', RULES_GLOB_MAX + 1);
	assert_string_equal(
		complaint(text, rules_bytes(strlen(text))), "not a name");
	text[5 + RULES_GLOB_MAX] = '\0';
	assert_null(complaint(text, rules_bytes(strlen(text))));
}

static void who_has_a_trigger_is_asked(void **state)
{
	static const char *const texts[] = {"drop", "mark m; drop",
		"mark m; trigger since m over 5ms", "drop trigger",
		"trigger off"};

	(void)state;
	for (size_t i = 0; i < LENGTH(texts); i++) {
		size_t room = rules_bytes(strlen(texts[i]));
		void *memory = malloc(room);
		struct rules_error error;

		assert_int_equal(
			rules_ask(rules_parse(texts[i], strlen(texts[i]),
				memory, room, &error)),
			strstr(texts[i], "trigger") ? RULES_ASK_TRIGGER : 0);
		free(memory);
	}
}

static void what_only_looks_like_a_name_is_not_redacted(void **state)
{
	static const char *const formats[] = {"XPASSWORD=%s", "x=%n", "secret",
		"a %y b", "http:/y:%s@", "http:y:%s@", "api+key=%s", "pwd=%d"};

	(void)state;
	for (size_t i = 0; i < LENGTH(formats); i++)
		if (rules_check("redact usual; redact x b", formats[i])
				.redacted)
			fail_msg("%s: redacted", formats[i]);
	assert_int_equal(rules_check("redact usual", "api.key=%s").redacted, 1);
}

static void check_site(
	const char *condition, const struct rule_site *site, bool expected)
{
	char text[128];

	snprintf(text, sizeof(text), "%s drop", condition);
	if (rules_check_at(text, site).action_known != expected)
		fail_msg("%s: %s", condition,
			expected ? "does not match" : "matches");
}

static void a_place_is_found_by_module_or_build_id(void **state)
{
	struct rule_site site = rules_check_server("x\n");

	(void)state;
	check_site("at libssl.so.3+0x1234", &site, true);
	check_site("at libssl.so.3+0x1,0x2000,0x1234", &site, true);
	check_site("at libssl.so.3+0x1235", &site, false);
	check_site("at abcd0123+0x1234", &site, true);
	check_site("at abcd0124+0x1234", &site, false);
	check_site("at bbcd0123+0x1234", &site, false);
	check_site("at abcd01+0x1234", &site, false);
	site.module = NULL;
	check_site("at abcd0123+0x1234", &site, true);
	check_site("at abcd0122+0x1234", &site, false);
	site.build_id = NULL;
	check_site("not at abcd0123+0x1234", &site, false);
	site = rules_check_server("");
	site.build_id = NULL;
	check_site("at libssl.so.3+0x1234", &site, true);
	check_site("at abcd0123+0x1234", &site, false);
}

static void a_format_may_be_given_without_its_line_end(void **state)
{
	struct rule_site site = rules_check_server("ab\n");

	(void)state;
	check_site("format ab", &site, true);
	check_site("format b", &site, false);
	check_site("format ac", &site, false);
	site = rules_check_server("");
	check_site("format a", &site, false);
	check_site("format \"\"", &site, true);
	site = rules_check_server("ab");
	check_site("format a", &site, false);
}

static void sources_have_to_fit_as_a_whole(void **state)
{
	const struct rule_source sources[] = {
		{.func = "one", .file = "/src/a.c", .line = 10},
		{.func = "two", .file = "/src/b.c", .line = 20},
		{0},
	};
	struct rule_site site = rules_check_server("x");

	(void)state;
	check_site("func one", &site, false);
	site.sources = sources;
	site.sources_count = LENGTH(sources);
	check_site("func one file a.c line 10", &site, true);
	check_site("func one file b.c", &site, false);
	check_site("func two line 11-19", &site, false);
	check_site("func two line 20-", &site, true);
	check_site("func two line 21-", &site, false);
	check_site("program nginx func t*", &site, true);
	check_site("not func one file b.c", &site, true);
	check_site("func three", &site, false);
	check_site("not file *.c", &site, false);
	check_site("not line 1-", &site, false);
}

static void secrets_of_copies_are_redacted_unasked(void **state)
{
	struct rule_site site = rules_check_server("password=%s");

	(void)state;
	assert_int_equal(rules_check_at("pass", &site).redacted, 0);
	site.is_copy = true;
	assert_int_equal(rules_check_at("pass", &site).redacted, 1);
	assert_int_equal(
		rules_check_at("redact usual; redact usual", &site).redacted,
		1);
	site.format = NULL;
	assert_int_equal(
		rules_check_at("redact usual redact x", &site).redacted, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_room_it_is_said),
		cmocka_unit_test(what_is_almost_right_is_refused),
		cmocka_unit_test(a_name_has_an_end),
		cmocka_unit_test(who_has_a_trigger_is_asked),
		cmocka_unit_test(what_only_looks_like_a_name_is_not_redacted),
		cmocka_unit_test(a_place_is_found_by_module_or_build_id),
		cmocka_unit_test(a_format_may_be_given_without_its_line_end),
		cmocka_unit_test(sources_have_to_fit_as_a_whole),
		cmocka_unit_test(secrets_of_copies_are_redacted_unasked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
