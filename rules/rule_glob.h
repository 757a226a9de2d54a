/*
 * Globs of rules, tried on one site after the other.  What all texts that a
 * glob matches have in common is noted once, so that most of them are known
 * not to match at a glance.  Called by the parser and by rules_decide().
 * Freestanding; points into the text of the rules.
 */
#ifndef RULES_RULE_GLOB_H
#define RULES_RULE_GLOB_H

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

#endif
