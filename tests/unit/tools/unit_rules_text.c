#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "rules/rule_tree.h"
#include "tests/unit/world/rules_check.h"

static void a_glob_matches_as_fnmatch_does(void **state)
{
	static const char letters[] = "ab/-";
	static const char special[] = "ab/*?-*a*b[]!\\";
	unsigned matched = 0;

	(void)state;
	srand(7);
	for (int i = 0; i < 200000; i++) {
		char glob[12] = "", text[16] = "";
		struct rule_glob parsed;
		int length = rand() % 10;
		bool expected;

		for (int at = 0; at < length; at++)
			glob[at] = special[rand() % 14];
		length = rand() % 14;
		for (int at = 0; at < length; at++)
			text[at] = letters[rand() % 4];
		/* What is a set to one and not to the other. */
		if (strchr(glob, '\\') && strchr(glob, '['))
			continue;
		if (!rule_glob_set(&parsed, glob, strlen(glob)) ||
			(*glob && glob[strlen(glob) - 1] == '\\'))
			continue;
		expected = fnmatch(glob, text, 0) == 0;
		if (rule_glob_matches(&parsed, text, strlen(text)) != expected)
			fail_msg("%s: %s: not %d", glob, text, expected);
		matched += expected;
	}
	assert_in_range(matched, 1000, 200000);
}

static void a_quoted_glob_has_escapes(void **state)
{
	(void)state;
	assert_true(rules_check("format \"a \\\"b\\\"\\tc\" drop", "a \"b\"\tc")
			    .action_known);
	assert_true(rules_check("format \"\\[x\\] ;#*\" drop", "[x] ;#1")
			    .action_known);
	assert_false(rules_check("format \"\\[x\\]\" drop", "x").action_known);
}

static void check_wrong(
	const char *text, unsigned line, unsigned column, const char *what)
{
	size_t room = rules_room(text, strlen(text));
	void *memory = malloc(room);
	struct rules_error error = {0};

	if (rules_parse(text, strlen(text), memory, room, &error))
		fail_msg("accepted: %s", text);
	if (error.line != line || error.column != column ||
		strcmp(error.what, what) != 0)
		fail_msg("%s: %u:%u: %s", text, error.line, error.column,
			error.what);
	assert_non_null(error.why);
	free(memory);
}

static void what_is_wrong_is_said_with_line_and_column(void **state)
{
	(void)state;
	check_wrong("frobnicate", 1, 1, "no such word");
	check_wrong("drop\n  # x\n  func f dorp", 3, 10, "no such word");
	check_wrong("drop; pass it", 1, 12, "no such word");
	check_wrong("func", 1, 5, "no value");
	check_wrong("func f", 1, 7, "nothing to do");
	check_wrong("func f;drop", 1, 7, "nothing to do");
	check_wrong("not", 1, 4, "no condition");
	check_wrong("not drop", 1, 5, "no such word");
	check_wrong("drop func f", 1, 6, "a condition after an action");
	check_wrong("drop not func f", 1, 10, "a condition after an action");
	check_wrong("line 5-3 drop", 1, 6, "not a line");
	check_wrong("line - drop", 1, 6, "not a line");
	check_wrong("line 4294967296 drop", 1, 6, "not a line");
	check_wrong("level nice", 1, 7, "no such level");
	check_wrong("level err-nice drop", 1, 7, "no such level");
	check_wrong("level err-debug", 1, 16, "nothing to do");
	check_wrong("drop level none", 1, 12, "no such level");
	check_wrong("depth -1", 1, 7, "not a number of frames");
	check_wrong("depth 65", 1, 7, "not a number of frames");
	check_wrong("rate 10", 1, 6, "no rate");
	check_wrong("rate 0/1s", 1, 6, "no rate");
	check_wrong("rate 1/300years", 1, 6, "no rate");
	check_wrong("rate 1/3000000h", 1, 6, "no rate");
	check_wrong("rate 1/18446744073709551617s", 1, 6, "no rate");
	check_wrong("sample 2/3", 1, 8, "no sample");
	check_wrong("sample 1/0", 1, 8, "no sample");
	check_wrong("sample 2s/1s", 1, 8, "no sample");
	check_wrong("redact", 1, 7, "nothing to redact");
	check_wrong("redact hash", 1, 8, "nothing to redact");
	check_wrong("redact arg 0", 1, 12, "no such argument");
	check_wrong("redact arg 65", 1, 12, "no such argument");
	check_wrong("redact \"\"", 1, 8, "not a name");
	check_wrong("trigger before x", 1, 16, "not a time");
	check_wrong("stream stdin drop", 1, 8, "no such stream");
	check_wrong("stream stdout, drop", 1, 8, "no such stream");
	check_wrong("at x drop", 1, 4, "no place");
	check_wrong("at x+12 drop", 1, 4, "no such offset");
	check_wrong("at x+0x1, drop", 1, 4, "no such offset");
	check_wrong("module \"\" drop", 1, 8, "no glob");
	check_wrong("format [%s drop", 1, 8, "a set without an end");
	check_wrong("drop\nformat \"x\n", 2, 8, "not a word");
	check_wrong("format \"x\"y drop", 1, 8, "not a word");
	check_wrong("drop\n\x01", 2, 1, "not a word");
}

static void there_is_an_end_to_rules_and_to_globs(void **state)
{
	size_t bytes = (RULES_MAX + 1) * 4;
	char *text = malloc(bytes + 1);
	size_t room = rules_bytes(bytes);
	void *memory = malloc(room);
	struct rules_error error;
	struct rules *rules;

	(void)state;
	for (size_t i = 0; i < bytes; i += 4)
		memcpy(text + i, "tee;", 4);
	assert_null(rules_parse(text, bytes, memory, room, &error));
	assert_string_equal(error.what, "too many rules");
	rules = rules_parse(text, bytes - 4, memory, room, &error);
	assert_non_null(rules);
	assert_int_equal(rules_count(rules), RULES_MAX);
	assert_null(
		rules_parse(text, RULES_TEXT_MAX + 1, memory, room, &error));
	memset(text, 'x', bytes);
	memcpy(text, "func ", 5);
	text[5 + RULES_GLOB_MAX + 1] = ' ';
	assert_null(rules_parse(text, bytes, memory, room, &error));
	assert_string_equal(error.what, "a glob that is too long");
	free(memory);
	free(text);
}

static void rules_tell_what_they_ask_for(void **state)
{
	static const char text[] = "thread x drop; not level err drop\n"
				   "stream all pass; line 5 pass";
	size_t room = rules_bytes(sizeof(text));
	void *memory = malloc(room);
	struct rules_error error;

	(void)state;
	assert_int_equal(rules_ask(rules_parse(
				 text, strlen(text), memory, room, &error)),
		RULES_ASK_THREAD | RULES_ASK_LEVEL | RULES_ASK_STREAM |
			RULES_ASK_SOURCE);
	assert_int_equal(rules_ask(rules_parse(
				 "func f level err", 16, memory, room, &error)),
		RULES_ASK_SOURCE);
	free(memory);
}

/* Milliseconds.  Of a machine that has other things to do, or under sanitizers,
 * nothing more is asked than that nothing grows with the square. */
static double most(void)
{
	return getenv("LONG") ? 1 : 50;
}

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Of the fastest of some; the machine may have other things to do. */
static double milliseconds(
	const struct rules *rules, const struct rule_site *site)
{
	double best = 1e9;

	for (int i = 0; i < 20; i++) {
		struct rule_decision decided;
		double from = cpu_ms(), taken;

		rules_decide(rules, site, &decided);
		taken = cpu_ms() - from;
		best = taken < best ? taken : best;
	}
	return best;
}

static void check_fast(const char *before, const char *after)
{
	struct rule_site site = rules_check_server(
		"could not connect to %s port %d, number %d: giving up\n");
	char *text = malloc(10000 * 80);
	size_t bytes = 0, room;
	struct rules_error error;
	struct rules *rules;
	void *memory;
	double time;

	for (int i = 0; i < 10000; i++)
		bytes += (size_t)snprintf(
			text + bytes, 80, "%s%d%s\n", before, i, after);
	room = rules_room(text, bytes);
	memory = malloc(room);
	rules = rules_parse(text, bytes, memory, room, &error);
	assert_non_null(rules);
	assert_int_equal(rules_count(rules), 10000);
	time = milliseconds(rules, &site);
	if (time > most())
		fail_msg("%.2f ms: %s", time, before);
	free(memory);
	free(text);
}

static void ten_thousand_rules_take_less_than_a_millisecond(void **state)
{
	(void)state;
	check_fast("at abcd0123+0x", " drop");
	check_fast("at libssl.so*+0x1234,0x", " drop");
	check_fast("format \"*number ", "*\" drop");
	check_fast("format \"could not ", "\" drop");
	check_fast("module lib", ".so* drop");
	check_fast("program nginx thread worker-", " drop");
	check_fast("redact password", " hash");
	check_fast("redact usual depth 5 rate ", "1/1s");
}

/* What grows with the square takes seconds here. */
static void a_long_glob_of_stars_does_not_take_long(void **state)
{
	static char format[100001], text[2200];
	struct rule_site site = rules_check_server("");
	size_t room = rules_bytes(sizeof(text));
	void *memory = malloc(room);
	struct rules_error error;
	struct rules *rules;

	(void)state;
	memset(format, 'a', 100000);
	format[1] = 'b';
	site.format = format;
	site.format_bytes = 100000;
	strcpy(text, "format *");
	memset(text + 8, 'a', 2000);
	strcpy(text + 2008, "b*aa*aa drop");
	rules = rules_parse(text, strlen(text), memory, room, &error);
	assert_non_null(rules);
	assert_true(milliseconds(rules, &site) < 10 * most());
	free(memory);
}

static const char *const words[] = {"program", "module", "thread", "format",
	"stream", "level", "at", "func", "line", "not", "capture", "+tee",
	"drop", "depth", "rate", "sample", "redact", "arg", "usual", "hash",
	"trigger", "before", "since", "over", "mark", "category", "err",
	"err-debug", "stdout", "file:*x", "x+0x1,0x2", "5", "1-3", "1/5",
	"1ms/1s", "2s", "\"a \\\"*\"", "*", "a*b?[c-d]", "off", ";", "\n", "#",
	"=", "\"", "[", "\\", "%s=%d", "password", "\x80"};

static size_t make_nonsense(char *text, size_t room)
{
	size_t bytes = 0;
	int count = rand() % 30;

	while (count-- > 0 && bytes + 16 < room) {
		const char *word = words[(size_t)rand() %
					 (sizeof(words) / sizeof(*words))];

		bytes += (size_t)sprintf(
			text + bytes, "%s%s", word, rand() % 8 ? " " : "");
		if (rand() % 50 == 0)
			text[(size_t)rand() % bytes] = (char)rand();
	}
	return bytes;
}

static void of_a_wrong_text_what_redacts_remains(void **state)
{
	static const struct {
		const char *text;
		const char *left;
	} cases[] = {
		{"redact a\ndorp", "redact a\n    "},
		{"dorp; redact a # b; c\ndrop", "    ; redact a # b; c\n    "},
		{"redact off; redact a off b", "          ; redact a off b"},
		{"format \"x redact a; redact b\nredact c",
			"                            \nredact c"},
		{"format d=\" drop; redact b\ndorp",
			"               ; redact b\n    "},
		{"format d=\" redact b; drop\ndorp",
			"format d=\" redact b;     \n    "},
		{"format \"x\"y drop; redact b", "                ; redact b"},
		{"level; redact b; dorp", "     ; redact b;     "},
		{"redact off\ndrop\n", NULL},
		{"redact a off; x", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t bytes = strlen(cases[i].text);
		size_t room = rules_room(cases[i].text, bytes);
		void *memory = malloc(room);
		char text[100];
		bool any;

		strcpy(text, cases[i].text);
		any = rules_keep_redacting(text, bytes, memory, room);
		assert_int_equal(any, cases[i].left != NULL);
		/* Which of two blanks is a semicolon does not matter. */
		for (size_t n = 0; any && n < bytes; n++)
			if (text[n] != cases[i].left[n] &&
				!(text[n] == ' ' && cases[i].left[n] == ';'))
				fail_msg("%s: %s", cases[i].text, text);
		free(memory);
	}
}

/* For the sanitizers: every byte is at the end of its memory. */
static void nonsense_does_no_harm(void **state)
{
	unsigned accepted = 0;

	(void)state;
	srand(8);
	for (int i = 0; i < 100000; i++) {
		char line[512];
		size_t bytes = make_nonsense(line, sizeof(line));
		size_t room = rules_room(line, bytes);
		char *text = memcpy(malloc(bytes + !bytes), line, bytes);
		void *memory = malloc(room);
		struct rule_site site =
			rules_check_server("%s=%d password: %s [%2$d");
		struct rules_error error = {0};
		struct rule_decision decided;
		struct rules *rules =
			rules_parse(text, bytes, memory, room, &error);

		if (!rules)
			assert_true(error.line > 0 && error.column > 0 &&
				    strcmp(error.why, "there is no room for "
						      "them: leave some out"));
		accepted += rules != NULL;
		if (!rules && rules_keep_redacting(text, bytes, memory, room)) {
			rules = rules_parse(text, bytes, memory, room, &error);
			assert_non_null(rules);
		}
		if (rules)
			rules_decide(rules, &site, &decided);
		free(memory);
		free(text);
	}
	assert_in_range(accepted, 3000, 90000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_glob_matches_as_fnmatch_does),
		cmocka_unit_test(a_quoted_glob_has_escapes),
		cmocka_unit_test(what_is_wrong_is_said_with_line_and_column),
		cmocka_unit_test(there_is_an_end_to_rules_and_to_globs),
		cmocka_unit_test(rules_tell_what_they_ask_for),
		cmocka_unit_test(
			ten_thousand_rules_take_less_than_a_millisecond),
		cmocka_unit_test(a_long_glob_of_stars_does_not_take_long),
		cmocka_unit_test(of_a_wrong_text_what_redacts_remains),
		cmocka_unit_test(nonsense_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
