/*
 * Questions to the first of the servers that answers: a statement of SQL, and
 * rows that come as they are made there.  Used by main.c and ask_sums.c.
 * Promises that nothing is changed on the server, and one sentence for whatever
 * is wrong.
 */
#ifndef TOOLS_QUERY_ASK_H
#define TOOLS_QUERY_ASK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/render_buffer.h"
#include "decoder/fleet/row_binary.h"
#include "tools/fleet/server.h"

struct ask {
	struct servers servers;
	size_t server;	    /* that answers */
	const char *before; /* names of tables: "" or "all_" */
	bool shows;	    /* statements are shown, and not asked */
	bool enough;	    /* who takes rows wants no more */
	bool settled;	    /* it was found out what the user may set */
	struct row_binary rows;
	char problem[2048];
};

/* Columns that are shown as they are asked for, behind the mark. */
struct ask_question {
	const char *select; /* columns and all that follows, without FORMAT */
	const enum fleet_type *types;
	size_t count;
	row_binary_take *take;
	void *closure;
	bool hidden; /* it is not what the user has asked for */
};

/* False: see `problem`. */
bool ask_server(struct ask *ask, const struct ask_question *question);

/* Appends ` FROM database.table`. */
void ask_put_table(
	const struct ask *ask, const char *table, struct render_buffer *out);

#endif
