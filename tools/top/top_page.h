/*
 * What binlog-top shows at one moment, as text: a summary and the lines of a
 * view, or of all in batch mode.  Called by main after each look at the
 * captures.  Promises lines no wider than the terminal, and nothing on them
 * that moves its cursor but our own colours.
 */
#ifndef TOOLS_TOP_TOP_PAGE_H
#define TOOLS_TOP_TOP_PAGE_H

#include <stdint.h>

#include "base/render_buffer.h"
#include "tools/top/top_captures.h"
#include "tools/top/top_names.h"

struct top_page {
	const struct top_settings *settings;
	const struct top_captures *captures;
	struct top_names *names;
	/* Of a terminal: */
	size_t width;
	size_t height;
	size_t scroll; /* lines; set back where there are not so many */
	bool colour;
	bool paused;
	bool help;
	bool mouse;	 /* there is one */
	size_t columns_line; /* of the screen, from 1 on; 0: they are not shown */
	size_t clicked;	 /* line whose row is to be chosen, or let go; or 0 */
	uint64_t chosen; /* top_row_identity() of the row that is marked, or 0 */
	const char *prompt; /* what is asked for in the last line, or null; */
	const char *answer; /* and what was typed */
	const char *news;   /* what came of the last key, or empty */
};

/* For scripts: the summary, and then the views. */
void top_page_batch(const struct top_page *page, struct render_buffer *out);

/* For a terminal: `height` lines at most, each ending in a newline but the
 * last. */
void top_page_screen(struct top_page *page, struct render_buffer *out);

/* By what a click on this column of the names of columns, from 1 on, sorts. */
enum top_sort top_page_sort_at(size_t column);

#endif
