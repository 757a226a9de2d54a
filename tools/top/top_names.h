/*
 * Who makes a call: the function and line of a site, as debug information or
 * symbols say it.  Asked for what is on the screen; promises to ask each place
 * once, to remember a bounded number of answers, and not to take long: what is
 * not known yet comes with the next refresh.
 */
#ifndef TOOLS_TOP_TOP_NAMES_H
#define TOOLS_TOP_TOP_NAMES_H

#include "tools/live/status_count.h"

struct top_names;

/* Null: out of memory. */
struct top_names *top_names_new(void);

/* From here on questions take about so long at most. */
void top_names_allow(struct top_names *names, uint64_t most_ns);

/*
 * "function file.c:12" or what is known of it, else "program+0x12"; escaped,
 * and valid until the next question.
 */
const char *top_names_caller(
	struct top_names *names, const struct status_site *site);

/* Null is fine. */
void top_names_free(struct top_names *names);

#endif
