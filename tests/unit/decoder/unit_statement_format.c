#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/statements/line_parts.h"
#include "decoder/statements/statement_format.h"

static struct pool pool;

static int forget(void **state)
{
	(void)state;
	pool_free(&pool);
	return 0;
}

static struct statement_format *format_of(
	const char *text, enum statement_formatter formatter)
{
	return statement_format_new(text, strlen(text), formatter, &pool);
}

/* What the directives have made of the text, with bars between. */
static const char *captures(const char *format,
	enum statement_formatter formatter, const char *text, size_t from)
{
	static char out[512];
	struct statement_format *made = format_of(format, formatter);
	struct statement_match match;
	size_t i;

	assert_non_null(made);
	if (!statement_format_matches(
		    made, text, strlen(text), from, line_parts_ends, &match))
		return "none";
	out[0] = '\0';
	for (i = 0; i < made->directives; i++)
		snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s%.*s",
			i > 0 ? "|" : "", (int)match.captures[i].bytes,
			match.captures[i].text);
	return out;
}

static void directives_of_printf_are_told_apart(void **state)
{
	(void)state;
	assert_string_equal(captures("Accepted %s:%d", STATEMENT_PRINTF,
				    "Accepted 127.0.0.1:80", 0),
		"127.0.0.1|80");
	assert_string_equal(
		captures("%s = %-5d| %p %x %5.2f%%", STATEMENT_PRINTF,
			"a: b = 3    | 0x7f ff  1.50%", 0),
		"a: b|3    |0x7f|ff| 1.50");
	assert_string_equal(
		captures("port %d", STATEMENT_PRINTF, "port x", 0), "none");
	assert_string_equal(
		captures("%c=%u", STATEMENT_PRINTF, "==5", 0), "=|5");
}

static bool may_match(const char *format, const char *text)
{
	struct statement_format *made = format_of(format, STATEMENT_PRINTF);
	struct statement_pairs pairs = {0};

	assert_non_null(made);
	statement_pairs_add(&pairs, text, strlen(text));
	return statement_format_may_match(made, &pairs);
}

static void most_texts_are_told_without_a_look(void **state)
{
	(void)state;
	assert_true(may_match("port %d of %s", "my port 3 of x"));
	assert_true(may_match("%s", ""));
	assert_false(may_match("port %d of %s", "my port 3 if x"));
	assert_false(may_match("port", "por"));
}

static void what_follows_a_string_may_be_far(void **state)
{
	(void)state;
	assert_string_equal(
		captures("%s: ab%d", STATEMENT_PRINTF,
			"1:2:3:4:5:6:7:8:9: a: ab7", 0),
		"1:2:3:4:5:6:7:8:9: a|7");
	assert_string_equal(captures("%s: ab%d", STATEMENT_PRINTF,
				    "1:2:3:4:5:6:7:8:9: a: a7", 0),
		"none");
}

static void newlines_at_the_end_do_not_count(void **state)
{
	(void)state;
	assert_string_equal(
		captures("done %d\r\n", STATEMENT_PRINTF, "done 3", 0), "3");
}

static void plain_text_has_to_be_there(void **state)
{
	(void)state;
	assert_string_equal(
		captures("done %d times", STATEMENT_PRINTF, "done 3", 0),
		"none");
	assert_string_equal(
		captures("done %d", STATEMENT_PRINTF, "done 3 times", 0),
		"none");
	assert_string_equal(
		captures("100%% of %s", STATEMENT_PRINTF, "100% of it", 0),
		"it");
}

static void what_others_added_may_follow(void **state)
{
	(void)state;
	assert_string_equal(
		captures("open() \"%s\" failed", STATEMENT_PRINTF,
			"open() \"/x\" failed (2: No such file)", 0),
		"/x");
	assert_string_equal(
		captures("connection from %s port %d", STATEMENT_PRINTF,
			"connection from ::1 port 22 [preauth]", 0),
		"::1|22");
}

static void formats_of_others(void **state)
{
	(void)state;
	assert_string_equal(captures("epoll timer: %M", STATEMENT_NGINX,
				    "epoll timer: 60000", 0),
		"60000");
	assert_string_equal(captures("malloc: %p:%uz", STATEMENT_NGINX,
				    "malloc: 000055D0C0FFEE00:4096", 0),
		"000055D0C0FFEE00|4096");
	assert_string_equal(captures("http header: \"%V: %V\"", STATEMENT_NGINX,
				    "http header: \"Host: a:80\"", 0),
		"Host|a:80");
	assert_string_equal(captures("fd:%d ev:%04XD d:%xD", STATEMENT_NGINX,
				    "fd:7 ev:2005 d:a1", 0),
		"7|2005|a1");
	assert_string_equal(
		captures("%2 files in %1", STATEMENT_QT, "3 files in /tmp", 0),
		"3|/tmp");
	assert_string_equal(captures("user {} has {:>4}", STATEMENT_BRACES,
				    "user a has    7", 0),
		"a|   7");
	assert_string_equal(captures("client %pI left", STATEMENT_APR,
				    "client 10.0.0.1:80 left", 0),
		"10.0.0.1:80");
	/* what printf has as well is printf's */
	assert_null(format_of("port %s", STATEMENT_APR));
	assert_null(format_of("no %y", STATEMENT_PRINTF));
	assert_null(format_of("no %y", STATEMENT_NGINX));
}

/* The offset of the last token that may be one of a prefix. */
static size_t prefix_of(const char *text)
{
	size_t begins[LINE_PARTS_MAX];
	size_t count = line_parts_begins(text, strlen(text), 0, begins);

	return begins[count - 1];
}

static void prefixes(void **state)
{
	static const char *const all[] = {
		"1234:M 23 Nov 2026 12:00:00.123 * |Ready to accept",
		"2026/11/23 12:00:00 [notice] 12#12: *7 |using the epoll",
		"2026-11-23 12:00:00.1 UTC [12] LOG:  |database system",
		"debug1: |Connection from",
		"1700000000: |New connection",
		"23-Nov-2026 12:00:00.1 general: info: |zone",
		"[1700000000] unbound[12:0] info: |start of",
		"[Mon Nov 23 12:00:00 2026] [core:notice] [pid 1:tid 2] "
		"AH00094: |Command",
		"(root) |CMD",
		"|Connection from 10.0.0.1",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char text[128];
		size_t at = strcspn(all[i], "|");

		snprintf(text, sizeof(text), "%.*s%s", (int)at, all[i],
			all[i] + at + 1);
		assert_int_equal(prefix_of(text), at);
	}
}

/* No format and no text takes for ever. */
static void time_is_bounded(void **state)
{
	char text[4001];
	char format[64] = "";
	size_t i;

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (i = 0; i < 20; i++)
		strcat(format, "%sa");
	strcat(format, "b");
	assert_string_equal(
		captures(format, STATEMENT_PRINTF, text, 0), "none");
}

static void only_words_and_a_blank_leave_the_end_open(void **state)
{
	static const struct {
		const char *format;
		bool unended;
	} all[] = {
		{" %s mode %06o ", true},
		{"deleting %s", false},
		{"removed ", false}, /* nothing says that it is a format */
		{"line %d, word ", false},
		{"a word in line %d ", true},
		{"worker %d: ", false},
		{"thread[%d] ", false},
		{"%d at %d ", false},
		{"mode %d\n", false},
		{"mode %d \n", true},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		print_message("%s\n", all[i].format);
		assert_int_equal(
			format_of(all[i].format, STATEMENT_PRINTF)->unended,
			all[i].unended);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directives_of_printf_are_told_apart),
		cmocka_unit_test(most_texts_are_told_without_a_look),
		cmocka_unit_test(what_follows_a_string_may_be_far),
		cmocka_unit_test(newlines_at_the_end_do_not_count),
		cmocka_unit_test(plain_text_has_to_be_there),
		cmocka_unit_test(what_others_added_may_follow),
		cmocka_unit_test(only_words_and_a_blank_leave_the_end_open),
		cmocka_unit_test(formats_of_others),
		cmocka_unit_test(prefixes),
		cmocka_unit_test(time_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
