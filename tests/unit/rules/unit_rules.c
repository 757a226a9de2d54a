#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "rules/rule_redact.h"
#include "tests/unit/world/rules_check.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

static void check_matches(const char *conditions, bool expected)
{
	char text[512];

	snprintf(text, sizeof(text), "%s drop", conditions);
	if (rules_check(text, "time is %d\n").action_known != expected)
		fail_msg("%s: %s", conditions,
			expected ? "does not match" : "matches");
}

static void a_rule_without_conditions_is_about_all_calls(void **state)
{
	struct rule_decision decided = rules_check("drop", NULL);

	(void)state;
	assert_int_equal(decided.action, RULE_DROP);
	assert_true(decided.action_known);
	assert_int_equal(decided.level, LEVEL_warning);
}

static void no_rules_say_nothing(void **state)
{
	struct rule_decision decided = rules_check(" # nothing\n\n;;", "x");

	(void)state;
	assert_int_equal(decided.action, RULE_CAPTURE);
	assert_false(decided.action_known);
	assert_false(decided.tee_known);
	assert_int_equal(decided.level, LEVEL_warning);
	assert_int_equal(decided.redacted, 0);
	assert_int_equal(decided.rule, 0);
}

static void conditions_are_about_what_is_known_of_a_site(void **state)
{
	(void)state;
	check_matches("program nginx", true);
	check_matches("program apache", false);
	check_matches("program nginx-1.22", true); /* its file */
	check_matches("program /usr/sbin/nginx*", true);
	check_matches("not program nginx-1.22", false);
	check_matches("module libssl.so*", true);
	check_matches("module /usr/*/libssl.so.3", true);
	check_matches("module /usr/libssl*", false);
	check_matches("thread worker*", true);
	check_matches("thread worker", false);
	check_matches("called *printf", true);
	check_matches("called printf", false);
	check_matches("format \"time is %d\"", true);
	check_matches("format \"time is %d\\n\"", true);
	check_matches("format \"time is\"", false);
	check_matches("format=time*", true);
	check_matches("stream stderr", true);
	check_matches("stream all", true);
	check_matches("stream stdout,syslog", false);
	check_matches("stream stdout,stderr", true);
	check_matches("stream file:*", false);
	check_matches("level warning", true);
	check_matches("level err", false);
	check_matches("level err-notice", true);
	check_matches("level err..notice", true);
	check_matches("level notice-", false);
	check_matches("level -4", true);
	check_matches("level notice-err", true);
	check_matches("format=time* called=f* program=n* stream=all level=err-",
		true);
	check_matches("level debug-packet", false);
}

static void all_conditions_of_a_rule_have_to_hold(void **state)
{
	(void)state;
	check_matches("program nginx thread worker*", true);
	check_matches("program nginx thread main", false);
	check_matches("program apache thread worker*", false);
}

static void not_turns_a_condition_round(void **state)
{
	(void)state;
	check_matches("not program apache", true);
	check_matches("not program nginx", false);
	check_matches("not stream file:*", true);
	check_matches("not level err", true);
}

static void what_is_not_known_does_not_match_either_way(void **state)
{
	struct rule_site nobody = {.level = LEVEL_info};
	static const char *const conditions[] = {"program *", "module *",
		"thread *", "called *", "format *", "stream all", "at *+0x0",
		"through *+0x0", "func *", "file *", "line 1-"};

	(void)state;
	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s drop; not %s drop",
			conditions[i], conditions[i]);
		assert_false(rules_check_at(text, &nobody).action_known);
	}
}

static void a_place_is_an_offset_in_a_module(void **state)
{
	(void)state;
	check_matches("at libssl.so.3+0x1234", true);
	check_matches("at /usr/lib/libssl.so.3+0x1234", true);
	check_matches("at libcrypto.so.3+0x1234", false);
	check_matches("at libssl.so.3+0x1235", false);
	check_matches("at abcd0123+0x1234", true);
	check_matches("at abcd0124+0x1234", false);
	check_matches(
		"at abcd0123+0x9999,0x10,0x1234,0x11,0xffffffffffffffff", true);
	check_matches("at abcd0123+0x9999,0x10,0x1235,0x11", false);
}

static void a_call_of_the_stack_is_a_place_too(void **state)
{
	const struct rule_frame frames[] = {
		{.module = "/usr/lib/libssl.so.3", .offset = 0x10},
		{.module = "/usr/sbin/nginx", .offset = 0x2345},
	};
	struct rule_site site = rules_check_server("x");

	(void)state;
	assert_false(rules_check_at("through nginx+0x2345 drop", &site)
			     .action_known);
	assert_false(rules_check_at("not through nginx+0x2345 drop", &site)
			     .action_known);
	site.frames = frames;
	site.frames_count = 2;
	assert_true(rules_check_at("through nginx+0x1,0x2345 drop", &site)
			    .action_known);
	assert_true(rules_check_at("through libssl.so.3+0x10 drop", &site)
			    .action_known);
	assert_false(
		rules_check_at("through nginx+0x10 drop", &site).action_known);
	assert_false(rules_check_at("not through nginx+0x2345 drop", &site)
			     .action_known);
	assert_true(rules_check_at("not through nginx+0x10 drop", &site)
			    .action_known);
	/* Of whom nothing else holds nobody asks for the stack. */
	assert_true(rules_check_at("through nginx+0x10 drop", &site).by_stack);
	assert_false(rules_check_at(
		"through nginx+0x10 stream syslog drop; drop", &site)
			     .by_stack);
	site.frames_count = 0;
	assert_false(rules_check_at("through nginx+0x2345 drop", &site)
			     .action_known);
	assert_true(rules_check_at("not through nginx+0x2345 drop", &site)
			    .action_known);
}

static void which_calls_of_a_stack_are_asked_for_is_known(void **state)
{
	static const char text[] =
		"program a drop; through nginx+0x12345,0x5 level err pass\n"
		"not through abcd0123+0x777 thread x drop";
	static char memory[16384];
	struct rule_frame frame = {.module = "/usr/sbin/nginx"};
	struct rules_error error;
	const struct rules *rules = rules_parse(
		text, sizeof(text) - 1, memory, sizeof(memory), &error);

	(void)state;
	assert_non_null(rules);
	assert_true(rules_ask_stack(rules));
	assert_true(rules_may_have_frame(rules, 0x7fff00000345));
	assert_true(rules_may_have_frame(rules, 0x7fff00000777));
	assert_false(rules_may_have_frame(rules, 0x7fff00000346));
	frame.offset = 0x12345;
	assert_true(rules_have_frame(rules, &frame));
	frame.offset = 0x777;
	assert_false(rules_have_frame(rules, &frame));
	frame.build_id = rules_check_id;
	frame.build_id_bytes = sizeof(rules_check_id);
	assert_true(rules_have_frame(rules, &frame));
	rules = rules_parse(
		"at nginx+0x5 drop", 17, memory, sizeof(memory), &error);
	assert_false(rules_ask_stack(rules));
	assert_false(rules_may_have_frame(rules, 5));
}

static void a_file_is_known_by_its_path(void **state)
{
	struct rule_site site = rules_check_server("x");

	(void)state;
	site.streams = 0;
	site.path = "/var/log/app/error.log";
	assert_true(
		rules_check_at("stream file:*.log drop", &site).action_known);
	assert_true(rules_check_at("stream file:/var/log/** drop", &site)
			    .action_known);
	assert_false(
		rules_check_at("stream file:*.txt drop", &site).action_known);
	assert_false(rules_check_at("stream all drop", &site).action_known);
}

static void later_rules_override(void **state)
{
	struct rule_decision decided = rules_check(
		"drop; program nginx +capture -tee depth 8 category web\n"
		"program apache drop\n"
		"category \"the web\" depth off",
		"x");

	(void)state;
	assert_int_equal(decided.action, RULE_CAPTURE);
	assert_true(decided.action_known);
	assert_true(decided.tee_known);
	assert_false(decided.tee);
	assert_int_equal(decided.depth, 0);
	assert_int_equal(decided.category_bytes, 7);
	assert_memory_equal(decided.category, "the web", 7);
}

static void a_level_is_set_at_the_end_or_after_an_action(void **state)
{
	(void)state;
	assert_int_equal(rules_check("level err", "x").level, LEVEL_err);
	assert_int_equal(
		rules_check("format x level=err", "x").level, LEVEL_err);
	assert_int_equal(
		rules_check("format y level err", "x").level, LEVEL_warning);
	assert_int_equal(
		rules_check("depth 3 level packet", "x").level, LEVEL_packet);
	assert_int_equal(rules_check("level err depth 3", "x").depth, 0);
	assert_int_equal(
		rules_check("level err; level err depth 3", "x").depth, 3);
}

static void limits_say_which_rule_they_are_of(void **state)
{
	struct rule_decision decided =
		rules_check("drop\nrate 10/1s\ndepth 1", "x");

	(void)state;
	assert_int_equal(decided.rule, 2);
	assert_int_equal(decided.rate, 10);
	assert_int_equal(decided.rate_ns, 1000000000);
	decided = rules_check("sample 1/100 sample 100us/1min", "x");
	assert_int_equal(decided.rule, 1);
	assert_int_equal(decided.sample, 100);
	assert_int_equal(decided.window_ns, 100000);
	assert_int_equal(decided.period_ns, 60000000000);
	decided =
		rules_check("rate 10/1s sample 1/2; sample off; rate off", "x");
	assert_int_equal(decided.rule, 0);
	assert_int_equal(decided.rate, 0);
	assert_int_equal(decided.sample, 0);
	assert_int_equal(
		rules_check("sample 1/2\nrate 5/2h;sample off", "x").rate, 5);
}

static void a_sample_is_of_requests_or_gets_rarer_by_level(void **state)
{
	static const char per_level[] = "sample 1/10 per level";
	static const struct {
		int level;
		uint32_t sample;
	} levels[] = {{LEVEL_err, 1}, {LEVEL_info, 1}, {LEVEL_debug, 10},
		{LEVEL_trace, 100}, {LEVEL_library, 100000}};
	struct rule_decision decided = rules_check("sample 1/10 by arg 3", "x");

	(void)state;
	assert_int_equal(decided.sample, 10);
	assert_int_equal(decided.sample_by, 3);
	assert_int_equal(rules_check("sample 1/10 by thread", "x").sample_by,
		SAMPLE_BY_THREAD);
	assert_int_equal(
		rules_check("sample 1/9 by thread; sample 1/8", "x").sample_by,
		0);
	for (size_t i = 0; i < LENGTH(levels); i++) {
		struct rule_site site = rules_check_server("x");

		site.level = levels[i].level;
		assert_int_equal(rules_check_at(per_level, &site).sample,
			levels[i].sample);
	}
	/* The level is that at the end. */
	assert_int_equal(
		rules_check("sample 1/10 per level; level library", "x").sample,
		100000);
	assert_int_equal(
		rules_check("sample 1/4294967295 per level level library", "x")
			.sample,
		UINT32_MAX);
	assert_int_equal(
		rules_check("sample 1/10 per level; sample 1/3", "x").sample,
		3);
}

static void a_level_is_known_if_a_rule_says_so(void **state)
{
	(void)state;
	assert_false(rules_check("depth 1", "ERROR: x").level_known);
	assert_true(rules_check("depth 1 level err", "ERROR: x").level_known);
	assert_false(rules_check("level err depth 1", "ERROR: x").level_known);
}

static void a_trigger_has_times_before_and_after(void **state)
{
	struct rule_decision decided =
		rules_check("trigger after 2s before 10ms depth 4", "x");

	(void)state;
	assert_true(decided.trigger);
	assert_int_equal(decided.before_ns, 10000000);
	assert_int_equal(decided.after_ns, 2000000000);
	assert_int_equal(decided.depth, 4);
	assert_true(rules_check("level warning trigger", "x").trigger);
	assert_false(rules_check("level crit trigger", "x").trigger);
	assert_false(rules_check("trigger; trigger off", "x").trigger);
}

static void a_trigger_goes_by_the_mark_of_its_name(void **state)
{
	struct rule_decision mark = rules_check("mark a arg 2 depth 4", "x");
	struct rule_decision since = rules_check(
		"trigger before 1s since a arg 3 over 50ms after 2s", "x");
	struct rule_decision both =
		rules_check("mark b trigger since a over 0ns", "x");

	(void)state;
	assert_int_equal(mark.mark.argument, 2);
	assert_int_equal(mark.depth, 4);
	assert_false(mark.trigger);
	assert_true(since.trigger);
	assert_int_equal(since.since.name, mark.mark.name);
	assert_int_equal(since.since.argument, 3);
	assert_int_equal(since.over_ns, 50000000);
	assert_int_equal(since.before_ns, 1000000000);
	assert_int_equal(since.after_ns, 2000000000);
	assert_int_equal(since.trigger_bytes, 50);
	assert_int_equal(both.since.name, mark.mark.name);
	assert_int_not_equal(both.mark.name, mark.mark.name);
	assert_int_equal(both.mark.argument, 0);
	assert_int_equal(rules_check("mark a; mark off", "x").mark.name, 0);
	assert_int_not_equal(rules_check("mark \"off\"", "x").mark.name, 0);
	assert_int_equal(
		rules_check("trigger since a over 1s; trigger", "x").since.name,
		0);
	assert_false(rules_check("trigger since a over 1s; trigger off", "x")
			     .trigger);
}

static void check_redacted(
	const char *rule, const char *format, uint64_t expected)
{
	uint64_t redacted = rules_check(rule, format).redacted;

	if (redacted != expected)
		fail_msg("%s: \"%s\": %llx, not %llx", rule, format,
			(unsigned long long)redacted,
			(unsigned long long)expected);
}

static void arguments_are_redacted_by_number_or_name(void **state)
{
	(void)state;
	check_redacted("redact arg 2", "%s %s", 2);
	check_redacted("redact arg 64", "%s", 1ull << 63);
	check_redacted("redact *", NULL, UINT64_MAX);
	check_redacted("redact user", "user=%s password=%s", 1);
	check_redacted("redact password", "user=%s password=%s", 2);
	check_redacted("redact password user hash", "user=%s password=%s", 3);
	check_redacted("redact password", "userpassword=%s", 0);
	check_redacted("redact password", "Password: \"%s\", %d", 1);
	check_redacted("redact password", "%*d password %.*s", 8);
	check_redacted("redact pin", "%d:%d pin 0x%x", 4);
	check_redacted("redact b", "a %2$s b %1$s", 1);
	check_redacted("redact \"api key\"", "api key=%s", 1);
	check_redacted("redact password", NULL, 0);
	check_redacted("redact password; redact off", "password=%s", 0);
	check_redacted("redact x arg 3", "x %d %d %d x=%d", 13);
	assert_int_equal(
		rules_check("redact a hash", "a=%s").redaction, REDACT_HASH);
	assert_int_equal(rules_check("redact a hash; redact b", "a").redaction,
		REDACT_HASH);
	assert_int_equal(rules_check("redact a", "a").redaction, REDACT_LENGTH);
	assert_int_equal(rules_check("redact a depth 5", "a").depth, 5);
}

static void what_cannot_be_named_by_a_bit_is_redacted_with_all(void **state)
{
	char format[1024] = "";

	(void)state;
	for (int i = 0; i < 64; i++)
		strcat(format, "%d ");
	check_redacted("redact last", strcat(format, "last %d"), UINT64_MAX);
	check_redacted("redact last", "%y last=%s", UINT64_MAX);
	check_redacted("redact last", "%y first=%s", 0);
}

static void usual_words_are_redacted_where_a_value_follows(void **state)
{
	static const char *const secret[] = {"password=%s", "Password: %s\n",
		"PASSWORD %s", "db_password=%s", "userPassword: '%s'",
		"{\"token\": \"%s\"}", "access_token=%s", "accessToken=%s",
		"X-Api-Key: %s", "apikey=%s", "api key: %s",
		"Authorization: %s", "Authorization: Bearer %s",
		"Set-Cookie: %s", "--secret=%s", "pin: %d", "pass=%.*s",
		"private key: %s", "http://me:%s@%s/"};
	static const char *const harmless[] = {"unexpected token '%s'",
		"unexpected token %s", "tokens: %s", "token: %d",
		"passwords: %s", "PASS: %s", "pwd %s", "spin: %d",
		"the key is %s", "cookies=%s", "compass=%s", "%s", "password",
		"password=%%", "tokenizer: %s", "user=%s"};

	(void)state;
	for (size_t i = 0; i < sizeof(secret) / sizeof(*secret); i++)
		if (rules_check("redact usual", secret[i]).redacted == 0)
			fail_msg("not redacted: %s", secret[i]);
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		check_redacted("redact usual", harmless[i], 0);
	check_redacted("redact usual", "https://%s:%s@%s:%d", 2);
	check_redacted("redact usual", "%s password: %s, token: %s", 6);
}

/* The quick look at a text before "%s", and all of it. */
static void check_quick(const char *before, char after)
{
	char format[128];
	bool slow, quick;

	snprintf(format, sizeof(format), "%s%%s%c", before, after);
	slow = rule_redact_usual(format, strlen(format), RULE_USUAL_COPIES) !=
	       0;
	quick = rule_redact_is_usual(before, strlen(before), after);
	if (slow != quick)
		fail_msg("%s: %d, quickly %d", format, slow, quick);
}

static void a_quick_look_finds_what_nobody_has_to_ask_for(void **state)
{
	static const char *const names[] = {
#define SECRET(name, separator, conversions, where) name,
#include "rules/secret_words.def"
#undef SECRET
		"key", "pass", "word", "d", "", "0x", "x",
		"http://me:", "://me:", "user"};
	static const char *const ends[] = {"=", ": ", ":", " ", "\": \"",
		" = \"", " 0x", "=0x", "0x", " [", "1=", "s: ", "", ".", "\t'",
		"=<<("};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (size_t j = 0; j < sizeof(ends) / sizeof(*ends); j++)
			for (int form = 0; form < 4; form++) {
				char text[64];

				snprintf(text, sizeof(text), "%s%s%s",
					form & 1 ? "my_" : "", names[i],
					ends[j]);
				for (char *c = text; form & 2 && *c; c++)
					*c = (char)(*c >= 'a' && *c <= 'z'
							    ? *c - 'a' + 'A'
							    : *c);
				check_quick(text, '\0');
				check_quick(text, '@');
			}
	assert_true(rule_redact_is_usual("password=", 9, '\0'));
	assert_false(rule_redact_is_usual("token=", 6, '\0'));
}

static void of_a_copy_is_redacted_what_nobody_has_to_ask_for(void **state)
{
	struct rule_site site =
		rules_check_server("token=%s password=%s pin=%d");

	(void)state;
	assert_int_equal(rules_check_at("drop", &site).redacted, 0);
	site.is_copy = true;
	assert_int_equal(rules_check_at("drop", &site).redacted, 2);
	assert_int_equal(rules_check_at("redact usual", &site).redacted, 7);
	assert_int_equal(rules_check_at("redact off", &site).redacted, 0);
	assert_int_equal(
		rules_check_at("redact off; redact token", &site).redacted, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rule_without_conditions_is_about_all_calls),
		cmocka_unit_test(no_rules_say_nothing),
		cmocka_unit_test(conditions_are_about_what_is_known_of_a_site),
		cmocka_unit_test(all_conditions_of_a_rule_have_to_hold),
		cmocka_unit_test(not_turns_a_condition_round),
		cmocka_unit_test(what_is_not_known_does_not_match_either_way),
		cmocka_unit_test(a_place_is_an_offset_in_a_module),
		cmocka_unit_test(a_call_of_the_stack_is_a_place_too),
		cmocka_unit_test(which_calls_of_a_stack_are_asked_for_is_known),
		cmocka_unit_test(a_file_is_known_by_its_path),
		cmocka_unit_test(later_rules_override),
		cmocka_unit_test(a_level_is_set_at_the_end_or_after_an_action),
		cmocka_unit_test(limits_say_which_rule_they_are_of),
		cmocka_unit_test(
			a_sample_is_of_requests_or_gets_rarer_by_level),
		cmocka_unit_test(a_level_is_known_if_a_rule_says_so),
		cmocka_unit_test(a_trigger_has_times_before_and_after),
		cmocka_unit_test(a_trigger_goes_by_the_mark_of_its_name),
		cmocka_unit_test(arguments_are_redacted_by_number_or_name),
		cmocka_unit_test(
			what_cannot_be_named_by_a_bit_is_redacted_with_all),
		cmocka_unit_test(
			usual_words_are_redacted_where_a_value_follows),
		cmocka_unit_test(a_quick_look_finds_what_nobody_has_to_ask_for),
		cmocka_unit_test(
			of_a_copy_is_redacted_what_nobody_has_to_ask_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
