/*
 * Questions whose answer is a sum: how many, from where, how numbers are
 * spread.  The server adds up, and the styles of binlog-show show it.  Used by
 * main.c.
 */
#ifndef TOOLS_QUERY_ASK_SUMS_H
#define TOOLS_QUERY_ASK_SUMS_H

#include <stdbool.h>

#include "decoder/fleet/answers.h"
#include "decoder/output/options.h"
#include "tools/query/ask.h"
#include "tools/query/conditions.h"

struct ask_sums {
	struct ask *ask;
	struct answers *answers;
	const struct conditions *conditions;
	const struct options *options;
	void *state; /* of the style; null: the question is only shown */
	bool failed; /* out of memory */
};

/* Whether the server can add up what this style shows of what is asked for. */
bool ask_sums_can(const struct ask_sums *sums);

/* Asks, and gives the style its sums.  False: see `ask->problem`. */
bool ask_sums(struct ask_sums *sums);

#endif
