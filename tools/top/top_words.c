#include "tools/top/top_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/literal.h"
#include "rules/levels.h"

/* Bytes of a format that are shown. */
#define FORMAT_MOST 200u

static void put_text(struct render_buffer *out, const char *text)
{
	escape_put(out, text, strlen(text), ESCAPE_NEWLINE);
}

static void put_site(struct render_buffer *out, const struct status_site *site,
	struct top_names *names)
{
	const char *caller;
	char words[160];

	if (!site->program) {
		put_text(out, "-        other places");
		return;
	}
	caller = top_names_caller(names, site);
	snprintf(words, sizeof(words), "%-8s ", level_name(site->level));
	put_text(out, words);
	render_buffer_put(out, caller, strlen(caller));
	render_buffer_put_byte(out, ' ');
	if (site->format)
		literal_put(out, site->format,
			site->format_bytes < FORMAT_MOST ? site->format_bytes
							 : FORMAT_MOST);
	else
		put_text(out, site->called ? site->called : "-");
}

/* That of the founder, without its number. */
static void put_program(
	struct render_buffer *out, const struct top_capture *capture)
{
	const char *label = capture->target.label;
	const char *bracket = strrchr(label, '[');

	escape_put(out, label,
		bracket ? (size_t)(bracket - label) : strlen(label),
		ESCAPE_NEWLINE);
}

static void put_process(struct render_buffer *out, const struct top_row *row)
{
	char words[64];

	snprintf(words, sizeof(words), "%7" PRIu64 " %8" PRIu32 " ",
		row->threads, row->pid);
	put_text(out, words);
	put_program(out, row->capture);
}

static void put_thread(struct render_buffer *out, const struct top_row *row)
{
	char words[64];

	if (row->thread->tid == 0) {
		put_text(out, "      -        - other threads ");
	} else {
		snprintf(words, sizeof(words), "%7" PRIu32 " %8" PRIu32 " ",
			row->pid, row->thread->tid);
		put_text(out, words);
		put_text(out, row->thread->name);
		render_buffer_put_byte(out, ' ');
	}
	put_program(out, row->capture);
}

static void put_room(
	struct render_buffer *out, const struct top_capture *capture)
{
	const struct status_count *count = &capture->count;
	char words[80];

	if (!count->has_ring)
		return;
	if (count->ring_span == UINT64_MAX)
		snprintf(words, sizeof(words), "ring of %" PRIu64 "K not full ",
			count->ring_bytes >> 10);
	else
		snprintf(words, sizeof(words),
			"ring of %" PRIu64 "K holds %.3g s ",
			count->ring_bytes >> 10,
			(double)count->ring_span / 1e9);
	put_text(out, words);
}

static void put_capture(
	struct render_buffer *out, const struct top_capture *capture)
{
	const struct status_count *count = &capture->count;
	const char *slash = strrchr(capture->target.path, '/');
	char words[160];

	snprintf(words, sizeof(words),
		"%8" PRIu64 " %8" PRIu64 " %10" PRIu64 " %8" PRIu64 " %7" PRIu64
		"K ",
		count->passed, count->dropped, capture->switches.suppressed,
		capture->switches.redacted, capture->disk >> 10);
	put_text(out, words);
	put_text(out, !capture->target.in_use ? "ended "
		      : capture->switches.off ? "off "
					      : "on ");
	put_room(out, capture);
	put_text(out, capture->target.label);
	render_buffer_put_byte(out, ' ');
	put_text(out, slash ? slash + 1 : capture->target.path);
}

void top_words(const struct top_rows *rows, const struct top_row *row,
	struct top_names *names, struct render_buffer *out)
{
	switch (rows->view) {
	case TOP_VIEW_SITES:
		put_site(out, row->site, names);
		break;
	case TOP_VIEW_PROCESSES:
		put_process(out, row);
		break;
	case TOP_VIEW_THREADS:
		put_thread(out, row);
		break;
	case TOP_VIEW_CAPTURES:
	case TOP_VIEWS:
		put_capture(out, row->capture);
		break;
	}
}
