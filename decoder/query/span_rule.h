/*
 * What --spans asks for: `START => DONE by NAME,...`, two globs of formats and
 * the values that are the same in messages which belong together; or `took`.
 * Parsed by the options, read by spans.c.
 */
#ifndef DECODER_SPAN_RULE_H
#define DECODER_SPAN_RULE_H

#include <stdbool.h>
#include <stddef.h>

#define SPAN_RULE_TOOK "took"
#define SPAN_RULES_MAX 16
#define SPAN_PARTS_MAX 8

enum span_part_of {
	SPAN_PART_ARGUMENT,
	SPAN_PART_PID,
	SPAN_PART_TID,
	SPAN_PART_THREAD, /* its name */
};

/* `arg3` has the number 3, others 0: see fields.h. */
struct span_name {
	const char *text;
	size_t bytes;
	size_t number;
};

/* One value; its name in the first message, and in the second. */
struct span_part {
	enum span_part_of of;
	struct span_name start;
	struct span_name done;
};

struct span_rule {
	const char *text; /* all of it, for people */
	char *start;	  /* globs */
	char *done;
	struct span_part parts[SPAN_PARTS_MAX];
	size_t part_count; /* 0: one thread, the innermost first */
};

/* All zeros is none. */
struct span_rules {
	struct span_rule all[SPAN_RULES_MAX];
	size_t count;
	bool took; /* also messages that say themselves how long they took */
};

/*
 * Adds one, whose text stays the caller's; what is allocated lasts as long as
 * the program.  Null, or what is wrong with it.
 */
const char *span_rules_add(struct span_rules *rules, const char *text);

#endif
