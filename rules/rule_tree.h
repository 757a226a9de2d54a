/*
 * Rules as the parser leaves them: one behind the other, each followed by its
 * conditions and then by what is to be done.  Private to rules*.c, rule_*.c
 * and to the tools that take a text of rules apart.
 */
#ifndef RULES_RULE_TREE_H
#define RULES_RULE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pairs of bytes that a text has to contain, as numbers of bits. */
#define RULE_GLOB_MARKS 3
#define RULE_GLOB_BITS 512u

struct rule_glob {
	const char *text;
	uint16_t bytes;
	uint16_t marks[RULE_GLOB_MARKS]; /* RULE_GLOB_BITS: none */
};

/* A text, and which pairs of bytes it contains. */
struct rule_text {
	const char *text; /* null: not known */
	size_t bytes;
	uint64_t marks[RULE_GLOB_BITS / 64];
};

/* `bytes` are UINT16_MAX at most.  False: a set in it has no end. */
bool rule_glob_set(struct rule_glob *glob, const char *text, size_t bytes);

/* A word that occurs somewhere in the text as it is. */
void rule_glob_set_word(struct rule_glob *glob, const char *text, size_t bytes);

void rule_glob_set_text(
	struct rule_text *text, const char *string, size_t bytes);

/* False if it is certain that it does not match. */
static inline bool rule_glob_may_match(
	const struct rule_glob *glob, const struct rule_text *text)
{
	for (int i = 0; i < RULE_GLOB_MARKS; i++)
		if (glob->marks[i] < RULE_GLOB_BITS &&
			!(text->marks[glob->marks[i] / 64] >>
					(glob->marks[i] % 64) &
				1))
			return false;
	return true;
}

/*
 * Whether it matches all of the text: `*` and `?` and `[a-z]`, `[!a-z]` stand
 * for anything, `\n` and `\t` for a newline and a tab, '\' takes what else
 * follows literally.  The time grows with the length of the text, if there is
 * nothing but stars in the glob, and else with the product at most.
 */
bool rule_glob_matches(
	const struct rule_glob *glob, const char *text, size_t bytes);

enum rule_condition_kind {
#define CONDITION(word, form, value, what) RULE_OF_##word,
#define ACTION(word, value, what)
#define ALIAS(action, word)
#include "rules/rule_words.def"
#undef CONDITION
#undef ACTION
#undef ALIAS
	RULE_CONDITIONS,
	RULE_TEXTS = RULE_OF_stream + 1, /* those up to there are of texts */
};

enum rule_action_kind {
#define CONDITION(word, form, value, what)
#define ACTION(word, value, what) RULE_TO_##word,
#define ALIAS(action, word)
#include "rules/rule_words.def"
#undef CONDITION
#undef ACTION
#undef ALIAS
	/* What `redact` is made of. */
	RULE_TO_REDACT_ARGUMENT,
	RULE_TO_REDACT_NAME,
	RULE_TO_REDACT_USUAL,
	RULE_TO_REDACT_ALL,
	RULE_TO_REDACT_NOTHING,
	RULE_TO_REDACT_AS,
	/* `sample`. */
	RULE_TO_SAMPLE_BY, /* SAMPLE_BY_THREAD, or a number of an argument */
	RULE_TO_SAMPLE_PER_LEVEL,
	/* And `trigger`. */
	RULE_TO_TRIGGER_SINCE,
	RULE_TO_TRIGGER_OVER,
	RULE_ACTIONS,
};

struct rule_condition {
	uint8_t kind; /* enum rule_condition_kind */
	bool negated;
	uint8_t streams; /* POLICY_STDOUT...; 0: the glob is about files */
	uint32_t low;	 /* lines, levels; of places: how many */
	uint32_t high;
	uint32_t start; /* in the text of rules */
	uint32_t bytes;
	struct rule_glob glob;
	const uint64_t *places; /* offsets, ascending */
};

struct rule_action {
	uint8_t kind;	 /* enum rule_action_kind */
	uint32_t number; /* 0: off */
	union {
		struct rule_glob name;
		uint64_t times[2]; /* nanoseconds */
	};
};

struct rule {
	_Alignas(8) uint32_t conditions;
	uint32_t actions;
	uint32_t start; /* in the text of rules: all of it, */
	uint32_t bytes;
	uint32_t actions_start; /* and from what is to be done on */
};

#define RULE_PAGE 4096u

struct rules {
	const char *text;
	uint32_t count;
	uint32_t kinds; /* bits: what conditions there are */
	/* Bits: how far from the beginning of a page calls are that `through`
	 * asks for. */
	uint64_t through[RULE_PAGE / 64];
	struct rule *first;
};

static inline struct rule_condition *rule_conditions(struct rule *rule)
{
	return (struct rule_condition *)(rule + 1);
}

static inline struct rule_action *rule_actions(struct rule *rule)
{
	return (struct rule_action *)(rule_conditions(rule) + rule->conditions);
}

static inline struct rule *rule_after(struct rule *rule)
{
	return (struct rule *)(rule_actions(rule) + rule->actions);
}

#endif
