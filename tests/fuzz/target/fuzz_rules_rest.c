/*
 * What is left of any bytes as rules when only those that redact are kept:
 * blanks and rules that are right and redact; of rules that are all right, each
 * that does.
 */
#include <string.h>

#include "rules/rule_tree.h"
#include "rules/rules.h"
#include "tests/fuzz/fuzz.h"

#define TEXT_MAX 4096u
#define ROOM_MAX (1u << 17)

static _Alignas(16) char memory[ROOM_MAX];
static char text[TEXT_MAX];

static bool is_blank_or_same(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] != (char)data[i] &&
			(text[i] != ' ' || data[i] == '\n'))
			return false;
	return true;
}

/* What is said last counts. */
static bool redacts(struct rule *rule)
{
	for (uint32_t i = rule->actions; i > 0; i--) {
		const struct rule_action *action = &rule_actions(rule)[i - 1];

		if (action->kind == RULE_TO_REDACT_NOTHING)
			return false;
		if (action->kind >= RULE_TO_REDACT_ARGUMENT &&
			action->kind <= RULE_TO_REDACT_ALL)
			return true;
	}
	return false;
}

static unsigned count_redacting(const struct rules *rules)
{
	struct rule *rule = rules->first;
	unsigned count = 0;

	for (uint32_t i = 0; i < rules->count; i++) {
		count += redacts(rule);
		rule = rule_after(rule);
	}
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rules_error error;
	const struct rules *rules;
	unsigned least = 0;
	bool any;

	if (size > TEXT_MAX)
		return -1;
	memcpy(text, data, size);
	rules = rules_parse(text, size, memory, sizeof(memory), &error);
	if (rules)
		least = count_redacting(rules);
	any = rules_keep_redacting(text, size, memory, sizeof(memory));
	FUZZ_CHECK(is_blank_or_same(data, size));
	rules = rules_parse(text, size, memory, sizeof(memory), &error);
	FUZZ_CHECK(rules && any == (rules_count(rules) > 0));
	FUZZ_CHECK(count_redacting(rules) == rules_count(rules));
	FUZZ_CHECK(least == 0 || rules_count(rules) == least);
	return 0;
}
