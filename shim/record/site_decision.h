/*
 * What was decided about a place, read as a whole while another thread may
 * decide anew: a call that is under way goes by the rules and the level of one
 * moment.  For site.c alone; lock-free, async-signal-safe.
 */
#ifndef SHIM_SITE_DECISION_H
#define SHIM_SITE_DECISION_H

#include "shim/record/site.h"

/* By who decides, who is alone; `site->generation` is 0 meanwhile. */
void site_set_verdict(
	struct rule_verdict *to, const struct rule_verdict *verdict);

/* By the same, when all else is decided: whether the short way may not have the
 * next calls from there. */
bool site_is_special(const struct site *site);

/* By any thread; false: somebody decides anew meanwhile. */
bool site_read_decision(
	const struct site *site, unsigned priority, struct site_decision *to);

/* The same of a place that nobody else knows. */
void site_copy_decision(
	const struct site *site, unsigned priority, struct site_decision *to);

#endif
