/*
 * The lines of one view: what was counted, put together over all captures,
 * filtered and sorted.  Made anew for each page by top_page.c; points into the
 * captures, so it holds until the next look at them.
 */
#ifndef TOOLS_TOP_TOP_ROWS_H
#define TOOLS_TOP_TOP_ROWS_H

#include <stdint.h>

#include "base/render_buffer.h"
#include "tools/top/top_captures.h"
#include "tools/top/top_names.h"

struct top_sums {
	double rate;
	double byte_rate; /* negative: not known of all */
	uint64_t calls;
	uint64_t passed;
	uint64_t dropped;
	uint64_t suppressed;
	uint64_t redacted;
	size_t captures;
	size_t running;
	bool rough;    /* see top_captures_is_rough() */
	bool behind;   /* more is said than was read */
	bool damaged;  /* or something could not be read */
	bool switched; /* the next two are known */
	int level;     /* the least that is recorded by any */
	bool off;      /* all record nothing */
};

struct top_sums top_sums_of(const struct top_captures *captures);

struct top_row {
	double rate;	  /* calls a second */
	double byte_rate; /* negative: not known */
	uint64_t total;
	uint64_t threads; /* of a process */
	uint32_t pid;
	const struct top_capture *capture; /* one of them */
	const struct status_site *site;
	const struct status_thread *thread;
};

struct top_rows {
	enum top_view view;
	struct top_row *rows;
	size_t count;
	size_t room;
	double rate; /* of all, for shares */
	bool failed; /* out of memory: some are missing */
};

/* To be freed whatever comes of it. */
void top_rows_make(struct top_rows *rows, const struct top_captures *captures,
	const struct top_settings *settings, enum top_view view,
	struct top_names *names);

/* What stands behind the numbers of a row: safe on a terminal, and without a
 * newline. */
void top_words(const struct top_rows *rows, const struct top_row *row,
	struct top_names *names, struct render_buffer *out);

/* Which row it is, in this page and in later ones; never 0. */
uint64_t top_row_identity(const struct top_row *row);

void top_rows_free(struct top_rows *rows);

#endif
