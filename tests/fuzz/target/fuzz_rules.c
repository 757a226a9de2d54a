/*
 * Any bytes as rules: memory of rules_room() is enough, what is wrong is in the
 * text, and rules that are right, each put on a line of its own, are as many
 * and say the same of a call.
 */
#include <string.h>

#include "rules/levels.h"
#include "rules/rule_tree.h"
#include "rules/rules.h"
#include "tests/fuzz/fuzz.h"

#define TEXT_MAX 4096u
#define ROOM_MAX (1u << 17)

static _Alignas(16) char again_memory[ROOM_MAX];
static char again_text[2 * TEXT_MAX];

static const uint8_t build_id[] = {0xab, 0xcd, 0x01, 0x23};
static const struct rule_source sources[] = {
	{"main", "/src/main.c", 12}, {NULL, NULL, 0}, {"inner", "b.c", 7}};
static const struct rule_frame frames[] = {
	{.module = "/usr/lib/libssl.so.3",
		.build_id = build_id,
		.build_id_bytes = sizeof(build_id),
		.offset = 0x1234},
	{.module = "/usr/sbin/nginx", .offset = 0x2345},
};
static const struct rule_site sites[] = {
	{.level = LEVEL_info},
	{.program = "nginx",
		.module = "/usr/lib/libssl.so.3",
		.build_id = build_id,
		.build_id_bytes = sizeof(build_id),
		.offset = 0x1234,
		.frames = frames,
		.frames_count = 2,
		.called = "fprintf",
		.format = "password=%s user=%-*s size=%d\n",
		.format_bytes = 30,
		.streams = POLICY_STDERR,
		.thread = "worker-7",
		.level = LEVEL_warning,
		.sources = sources,
		.sources_count = 3,
		.is_copy = true},
	{.program = "", .path = "/var/log/a.log", .format = "", .level = 9},
};

static void check_error(
	const char *text, size_t size, const struct rules_error *error)
{
	const char *at = text;
	unsigned line;

	FUZZ_CHECK(error->what && error->why);
	for (line = 1; line < error->line; line++) {
		at = memchr(at, '\n', (size_t)(text + size - at));
		FUZZ_CHECK(at);
		at++;
	}
	FUZZ_CHECK(error->line > 0 && error->column > 0);
	at += error->column - 1;
	FUZZ_CHECK(at <= text + size);
	FUZZ_CHECK(error->bytes <= (size_t)(text + size - at));
}

/* What they point to in two texts is compared, and no more. */
static void check_same(const char *text, struct rule_decision *a,
	const char *other_text, struct rule_decision *b)
{
	FUZZ_CHECK(a->category_bytes == b->category_bytes);
	FUZZ_CHECK(a->category_bytes == 0 ||
		   memcmp(a->category, b->category, a->category_bytes) == 0);
	FUZZ_CHECK(a->trigger_bytes == b->trigger_bytes);
	FUZZ_CHECK(
		memcmp(text + a->trigger_start, other_text + b->trigger_start,
			a->trigger_bytes) == 0);
	a->category = b->category = NULL;
	a->trigger_start = b->trigger_start = 0;
	FUZZ_CHECK(memcmp(a, b, sizeof(*a)) == 0);
}

static void check_frames(const struct rules *rules, const struct rules *again)
{
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
		bool asked = rules_have_frame(rules, &frames[i]);

		FUZZ_CHECK(rules_have_frame(again, &frames[i]) == asked);
		FUZZ_CHECK(!asked ||
			   rules_may_have_frame(rules, frames[i].offset));
		FUZZ_CHECK(!asked || rules_ask_stack(rules));
	}
}

static size_t write_again(const struct rules *rules, const char *text)
{
	struct rule *rule = rules->first;
	size_t bytes = 0;

	for (uint32_t i = 0; i < rules->count; i++) {
		FUZZ_CHECK(bytes + rule->bytes < sizeof(again_text));
		memcpy(again_text + bytes, text + rule->start, rule->bytes);
		bytes += rule->bytes;
		again_text[bytes++] = '\n';
		rule = rule_after(rule);
	}
	return bytes;
}

static void check_right(const struct rules *rules, const char *text)
{
	size_t bytes = write_again(rules, text);
	struct rules_error error;
	const struct rules *again = rules_parse(
		again_text, bytes, again_memory, sizeof(again_memory), &error);
	struct rule_decision a, b;

	FUZZ_CHECK(again && rules_count(again) == rules_count(rules));
	FUZZ_CHECK(rules_ask(again) == rules_ask(rules));
	check_frames(rules, again);
	for (size_t i = 0; i < sizeof(sites) / sizeof(*sites); i++) {
		memset(&a, 0, sizeof(a));
		memset(&b, 0, sizeof(b));
		rules_decide(rules, &sites[i], &a);
		rules_decide(again, &sites[i], &b);
		check_same(text, &a, again_text, &b);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	size_t room = rules_room(text, size);
	struct rules_error error = {0};
	struct rules *rules;
	void *memory;

	if (size > TEXT_MAX)
		return -1;
	FUZZ_CHECK(room <= rules_bytes(size) && room <= ROOM_MAX);
	memory = malloc(room);
	rules = rules_parse(text, size, memory, room, &error);
	if (rules)
		check_right(rules, text);
	else
		check_error(text, size, &error);
	/* Not for lack of room. */
	FUZZ_CHECK(!rules == !rules_parse(text, size, again_memory,
				     sizeof(again_memory), &error));
	free(memory);
	return 0;
}
