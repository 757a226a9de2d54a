/*
 * What rules say of a call.  For tests of rules, after cmocka.h.
 */
#ifndef TESTS_RULES_CHECK_H
#define TESTS_RULES_CHECK_H

#include <stdlib.h>
#include <string.h>

#include "rules/levels.h"
#include "rules/rules.h"

static const uint8_t rules_check_id[] = {0xab, 0xcd, 0x01, 0x23};

/* A call of fprintf() in a server. */
static inline struct rule_site rules_check_server(const char *format)
{
	return (struct rule_site){
		.program = "nginx",
		.executable = "/usr/sbin/nginx-1.22",
		.module = "/usr/lib/libssl.so.3",
		.build_id = rules_check_id,
		.build_id_bytes = sizeof(rules_check_id),
		.offset = 0x1234,
		.called = "fprintf",
		.format = format,
		.format_bytes = format ? strlen(format) : 0,
		.streams = POLICY_STDERR,
		.thread = "worker-7",
		.level = LEVEL_warning,
	};
}

/* In memory that is exactly what the text is said to need. */
static inline struct rule_decision rules_check_at(
	const char *text, const struct rule_site *site)
{
	size_t bytes = strlen(text);
	size_t room = rules_room(text, bytes);
	void *memory = malloc(room);
	struct rules_error error = {0};
	struct rule_decision decided;
	struct rules *rules;

	assert_true(room <= rules_bytes(bytes));
	rules = rules_parse(text, bytes, memory, room, &error);
	if (!rules)
		fail_msg("%u:%u: %s: %s", error.line, error.column, error.what,
			error.why);
	rules_decide(rules, site, &decided);
	free(memory);
	return decided;
}

static inline struct rule_decision rules_check(
	const char *text, const char *format)
{
	struct rule_site site = rules_check_server(format);

	return rules_check_at(text, &site);
}

#endif
