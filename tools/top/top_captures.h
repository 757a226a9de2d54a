/*
 * The captures that binlog-top looks at: which there are, and what is counted
 * in them.  Called by main in each refresh; only reads, and promises to take
 * no longer than it was given, however much is said, and to remember no more
 * than a bounded number of captures that have ended.
 */
#ifndef TOOLS_TOP_TOP_CAPTURES_H
#define TOOLS_TOP_TOP_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/switches.h"
#include "tools/live/status_count.h"
#include "tools/live/targets.h"

enum top_view {
#define VIEW(name, text, columns) TOP_VIEW_##name,
#include "tools/top/top_views.def"
#undef VIEW
	TOP_VIEWS
};

enum top_sort {
#define SORT(name, text, what) TOP_SORT_##name,
#include "tools/top/top_sorts.def"
#undef SORT
	TOP_SORTS
};

#define TOP_FILTER_MAX 128u

struct top_settings {
	const char *place; /* a directory, or the number of a process */
	uint64_t delay_ns;
	uint64_t count; /* of refreshes; 0: any number */
	uint64_t rows;	/* of a kind; 0: all */
	bool batch;
	bool view_given;
	enum top_view view;
	enum top_sort sort;
	bool reverse;
	char filter[TOP_FILTER_MAX]; /* empty: everything */
};

/* CLOCK_MONOTONIC, nanoseconds. */
uint64_t top_now(void);

/* "sites" and so on; "rate" and so on. */
const char *top_settings_view(enum top_view view);
const char *top_settings_sort(enum top_sort sort);

/* The names of its columns behind the numbers. */
const char *top_settings_columns(enum top_view view);

struct top_capture {
	struct target target;
	struct status_count count;
	struct binlog_switches switches;
	uint64_t disk; /* bytes */
	uint64_t due;  /* CLOCK_MONOTONIC: not to be read before, nanoseconds */
	bool seen;
};

struct top_captures {
	const char *place;
	struct targets targets; /* of the last look; without captures */
	struct top_capture **all;
	size_t count;
	bool ended;	    /* a process: it has, or does not record */
	bool failed;	    /* out of memory */
	char sentence[512]; /* why nothing new was found; empty: it was */
};

/* Takes at most about so long.  False: there is nothing at this place, and
 * `sentence` says why. */
bool top_captures_look(struct top_captures *captures, uint64_t most_ns);

/* Times a second, of so many in the last pass. */
double top_captures_rate(const struct top_capture *capture, uint64_t recent);

/* Its rates are those of a part of what is said. */
bool top_captures_is_rough(const struct top_capture *capture);

void top_captures_free(struct top_captures *captures);

#endif
