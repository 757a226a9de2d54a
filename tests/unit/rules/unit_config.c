#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rules/config.h"
#include "rules/rules.h"

static void check_text(struct config_text text, const char *expected)
{
	if (text.bytes != strlen(expected) ||
		memcmp(text.text, expected, text.bytes) != 0)
		fail_msg("\"%.*s\", not \"%s\"", (int)text.bytes, text.text,
			expected);
}

static void begin(struct config *config, const char *text)
{
	config_begin(config, text, strlen(text));
}

static void settings_are_the_variables_in_small_letters(void **state)
{
	struct config config;
	struct config_entry entry;

	(void)state;
	begin(&config, "# my own\n\nlevel = err\n\tmax_size=16M # enough\r\n"
		       "; streams = all=tee\nstreams = stderr=tee,file:*=pass");
	assert_true(config_next(&config, &entry));
	assert_int_equal(entry.kind, CONFIG_SETTING);
	assert_int_equal(entry.setting, CONFIG_level);
	check_text(entry.value, "err");
	assert_int_equal(entry.value.line, 3);
	assert_int_equal(entry.value.column, 9);
	assert_true(config_next(&config, &entry));
	assert_int_equal(entry.setting, CONFIG_max_size);
	check_text(entry.value, "16M");
	assert_int_equal(entry.key.column, 2);
	assert_true(config_next(&config, &entry));
	assert_int_equal(entry.setting, CONFIG_streams);
	check_text(entry.value, "stderr=tee,file:*=pass");
	assert_false(config_next(&config, &entry));
	assert_false(config_next(&config, &entry));
}

static void quotes_around_a_value_are_taken_off(void **state)
{
	static const struct {
		const char *line;
		const char *value;
	} cases[] = {
		{"level = \" # x \" # y", " # x "},
		{"level=a \"b # c\" #d", "a \"b # c\""},
		{"level = \"a\" == \"b\"", "\"a\" == \"b\""},
		{"level = a#b", "a#b"},
		{"level =", ""},
		{"level = \"\"", ""},
		{"level = \"", "\""},
		{"level = # x", ""},
		{"level = a\\b", "a\\b"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct config config;
		struct config_entry entry;

		begin(&config, cases[i].line);
		assert_true(config_next(&config, &entry));
		check_text(entry.value, cases[i].value);
		assert_false(config_next(&config, &entry));
	}
}

static void rules_come_as_they_stand(void **state)
{
	static const char text[] = "level = err\n [rules] # which\n"
				   "func f drop # not a section: [x]\n\n"
				   "depth 4\n[output x]\nto = y\n";
	struct config config;
	struct config_entry entry;
	struct rules_error error;
	char memory[1024] __attribute__((aligned(16)));
	struct rules *rules;

	(void)state;
	begin(&config, text);
	assert_true(config_next(&config, &entry));
	assert_true(config_next(&config, &entry));
	assert_int_equal(entry.kind, CONFIG_RULES);
	assert_int_equal(entry.value.line, 3);
	check_text(
		entry.value, "func f drop # not a section: [x]\n\ndepth 4\n");
	rules = rules_parse(entry.value.text, entry.value.bytes, memory,
		sizeof(memory), &error);
	assert_int_equal(rules_count(rules), 2);
	assert_true(config_next(&config, &entry));
	assert_int_equal(entry.kind, CONFIG_OUTPUT);
	begin(&config, "[rules]");
	assert_true(config_next(&config, &entry));
	check_text(entry.value, "");
	assert_false(config_next(&config, &entry));
}

static void outputs_have_names_and_fields(void **state)
{
	struct config config;
	struct config_entry entry;

	(void)state;
	begin(&config, "[output errors]\nto = /tmp/x\n\n"
		       "[ output \"all of it\" ]\nany key = b = c\n");
	assert_true(config_next(&config, &entry));
	assert_int_equal(entry.kind, CONFIG_OUTPUT);
	check_text(entry.name, "errors");
	assert_true(config_next(&config, &entry));
	assert_int_equal(entry.kind, CONFIG_FIELD);
	check_text(entry.name, "errors");
	check_text(entry.key, "to");
	check_text(entry.value, "/tmp/x");
	assert_true(config_next(&config, &entry));
	check_text(entry.name, "all of it");
	assert_int_equal(entry.name.line, 4);
	assert_int_equal(entry.name.column, 11);
	assert_true(config_next(&config, &entry));
	check_text(entry.name, "all of it");
	check_text(entry.key, "any key");
	check_text(entry.value, "b = c");
	assert_false(config_next(&config, &entry));
}

static void check_wrong(
	const char *text, unsigned line, unsigned column, const char *what)
{
	struct config config;
	struct config_entry entry;

	begin(&config, text);
	do {
		assert_true(config_next(&config, &entry));
	} while (entry.kind != CONFIG_WRONG);
	assert_non_null(entry.wrong);
	assert_int_equal(entry.key.line, line);
	assert_int_equal(entry.key.column, column);
	check_text(entry.key, what);
	assert_false(config_next(&config, &entry));
}

static void what_is_wrong_is_said_and_passed_over(void **state)
{
	(void)state;
	check_wrong("level = err\n  colour = red", 2, 3, "colour");
	check_wrong("level\n", 1, 1, "level");
	check_wrong("= err\n", 1, 1, "= err");
	check_wrong("[rule]\nx = y\nz", 1, 2, "rule");
	check_wrong("\n[output]\nto = y", 2, 2, "output");
	check_wrong("[outputs x]\nto = y", 1, 2, "outputs x");
	check_wrong("[output x\nto = y", 1, 1, "[output x");
	check_wrong("[output x] y\nto = y", 1, 1, "[output x] y");
	check_wrong("[rules]\ndrop\n[rules]\npass", 3, 2, "rules");
	check_wrong("[]", 1, 2, "");
}

static void nonsense_does_no_harm(void **state)
{
	static const char letters[] = "[]output rules\n\n\"#=;=ab";
	struct config config;
	struct config_entry entry;

	(void)state;
	srand(5);
	for (int i = 0; i < 200000; i++) {
		size_t bytes = (size_t)rand() % 60;
		char *text = malloc(bytes + !bytes);
		unsigned entries = 0;

		for (size_t at = 0; at < bytes; at++)
			text[at] = letters[(size_t)rand() % sizeof(letters)];
		config_begin(&config, text, bytes);
		for (; config_next(&config, &entry); entries++)
			assert_true(entry.kind <= CONFIG_WRONG);
		assert_true(entries <= bytes);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_are_the_variables_in_small_letters),
		cmocka_unit_test(quotes_around_a_value_are_taken_off),
		cmocka_unit_test(rules_come_as_they_stand),
		cmocka_unit_test(outputs_have_names_and_fields),
		cmocka_unit_test(what_is_wrong_is_said_and_passed_over),
		cmocka_unit_test(nonsense_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
