/*
 * What the keys do.  Called by main with what was typed; changes settings and
 * the page, and switches programs.  Promises that whatever bytes come nothing
 * but the keys of top_keys.def has an effect.
 */
#ifndef TOOLS_TOP_TOP_KEYS_H
#define TOOLS_TOP_TOP_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/top/top_captures.h"
#include "tools/top/top_mouse.h"
#include "tools/top/top_page.h"

/* What the mouse does, where the terminal has one. */
#define TOP_MOUSE_HELP                                                         \
	"click a column: sort by it, again: turn round; a row: all of it"

struct top_key {
	char key;
	const char *shown;
	const char *help;
};

extern const struct top_key top_keys[];
extern const size_t top_keys_count;

/* What is asked for in the last line. */
enum top_question {
	TOP_QUESTION_NONE,
	TOP_QUESTION_FILTER,
	TOP_QUESTION_LEVEL
};

/* Between two keys. */
struct top_typing {
	struct top_settings *settings;
	struct top_captures *captures;
	struct top_page *page;
	enum top_question question;
	char answer[TOP_FILTER_MAX];
	char cut[TOP_MOUSE_REPORT_MOST]; /* a report of the mouse that goes on later */
	size_t cut_bytes;
	char news[512]; /* what came of it */
	bool looks;	/* something was switched: it should be looked at */
	bool quits;
};

/* Takes all that was typed. */
void top_keys_take(struct top_typing *typing, const char *bytes, size_t count);

#endif
