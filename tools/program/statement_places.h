/*
 * Where the statements are that a rule's `format` is about, in programs that
 * make their messages themselves: calls that hand the text on to a function
 * which prints it later.  A process knows such a statement by the place in its
 * stack that the call returns to.  Called by resolve.c, for `through`.
 * Promises places that are one statement's alone, and to say why others are
 * not: at most a few seconds for a file.
 */
#ifndef TOOLS_PROGRAM_STATEMENT_PLACES_H
#define TOOLS_PROGRAM_STATEMENT_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/rule_tree.h"
#include "symbolizer/symbolizer.h"

/* Whether there may be any: its format has a few characters that are plain. */
bool statement_places_wanted(struct rule *rule);

/* Such a rule has the condition with `not` only: it is about all others. */
bool statement_places_turned(struct rule *rule);

enum statement_refusal {
	STATEMENT_KNOWN, /* none: the place is its own */
#define REFUSAL(name, why) STATEMENT_##name,
#include "tools/program/statement_refusals.def"
#undef REFUSAL
};

/* In words. */
const char *statement_refusal_why(enum statement_refusal refusal);

struct statement_place {
	size_t rule;	 /* its number among those asked for */
	uint64_t call;	 /* as in the file */
	uint64_t offset; /* by which a process knows it */
	const char *text;
	size_t bytes;
	enum statement_refusal refusal;
};

/*
 * Calls back for each statement of a module that one of the rules is about,
 * by rule and address.  Null, or why there is no list of them: the caller
 * frees it.
 */
char *statement_places_each(const char *path,
	const struct symbolizer_options *options, struct rule *const *rules,
	size_t count,
	void (*take)(void *closure, const struct statement_place *place),
	void *closure);

#endif
