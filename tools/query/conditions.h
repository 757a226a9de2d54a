/*
 * What is asked for, as a condition of SQL: the options of binlog-show, and
 * who and where.  What is the same for all messages of a statement is decided
 * here, by the same code as there, so a condition names statements; the server
 * decides what differs from message to message.  It never leaves out what is
 * asked for.  Used by main.c and ask_sums.c.
 */
#ifndef TOOLS_QUERY_CONDITIONS_H
#define TOOLS_QUERY_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"
#include "decoder/fleet/answers.h"
#include "decoder/output/options.h"

#define CONDITIONS_MAX 4096u

/* Globs that the tables alone know. */
struct conditions_texts {
	const char *all[CONDITIONS_MAX];
	size_t count;
};

struct conditions_asked {
	struct options *options;
	struct conditions_texts hosts;
	struct conditions_texts programs;
	struct conditions_texts greps; /* as they were given */
	uint64_t first_day; /* that rows after `since` may have arrived on,
			     * before it, from clocks that run ahead; days
			     * since 1970 */
};

/* A list of statements, as `statement IN (...)`; of none it holds never. */
struct conditions_list {
	struct render_buffer text;
	size_t count;
};

struct conditions {
	struct render_buffer who;  /* empty: all */
	struct render_buffer what; /* likewise */
	/* When, nanoseconds since 1970, both inclusively. */
	uint64_t since;
	uint64_t until;
	uint64_t first_day; /* see above */
	/* Texts of these may be parts of lines; and of who has no statement. */
	struct conditions_list open;
	bool of_statements; /* `what` names some */
	bool parts; /* there are such: lines are asked for with all parts */
	bool exact; /* together they hold for what is asked for, and for
		     * nothing else */
	char problem[512];
};

/* False: it cannot be asked; see `problem`. */
bool conditions_make(struct conditions *conditions,
	const struct conditions_asked *asked, struct answers *answers);

/* Appends ` WHERE ...` for calls, for events as well, or for all that is on
 * lines with them. */
enum conditions_of {
	CONDITIONS_CALLS,
	CONDITIONS_ROWS,   /* of calls: other columns are read of these alone */
	CONDITIONS_EVENTS, /* alone */
	CONDITIONS_ENTRIES,
	CONDITIONS_LINES,
};

void conditions_put(const struct conditions *conditions, enum conditions_of of,
	const char *database, struct render_buffer *out);

void conditions_list_add(struct conditions_list *list, uint64_t id);
void conditions_list_put(
	const struct conditions_list *list, struct render_buffer *out);

/* Appends ` WHERE ...` for calls of them whose text has no newline at its end.
 */
void conditions_put_parts(
	const struct conditions *conditions, struct render_buffer *out);

void conditions_free(struct conditions *conditions);

#endif
