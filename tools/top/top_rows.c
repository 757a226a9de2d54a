#include "tools/top/top_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytehash.h"
#include "base/escape.h"
#include "base/literal.h"
#include "rules/levels.h"

/*
 * The sums over all captures that stand on top of each page.  Called by
 * top_page.c.
 */

static void add_switches(
	struct top_sums *sums, const struct top_capture *capture)
{
	const struct binlog_switches *switches = &capture->switches;

	sums->suppressed += switches->suppressed;
	sums->redacted += switches->redacted;
	if (!capture->target.in_use || switches->generation == 0)
		return;
	if (!sums->switched || switches->level > sums->level)
		sums->level = switches->level;
	sums->off = (!sums->switched || sums->off) && switches->off;
	sums->switched = true;
}

static void sums_add(struct top_sums *sums, const struct top_capture *capture)
{
	const struct status_count *count = &capture->count;

	sums->captures++;
	sums->running += capture->target.in_use;
	sums->rate += top_captures_rate(capture, count->recent);
	if (count->has_ring)
		sums->byte_rate = -1;
	else if (sums->byte_rate >= 0)
		sums->byte_rate +=
			top_captures_rate(capture, count->recent_bytes);
	sums->calls += count->calls;
	sums->passed += count->passed;
	sums->dropped += count->dropped;
	sums->rough |= top_captures_is_rough(capture);
	sums->behind |= count->unfinished;
	sums->damaged |= count->failed ||
			 error_count(&count->errors, ERROR_SEVERITY_DAMAGE) > 0;
	add_switches(sums, capture);
}

struct top_sums top_sums_of(const struct top_captures *captures)
{
	struct top_sums sums = {0};
	size_t i;

	for (i = 0; i < captures->count; i++)
		sums_add(&sums, captures->all[i]);
	return sums;
}

/* ---- gathering ---- */

static void add(struct top_rows *rows, const struct top_row *row)
{
	if (array_reserve(rows->rows, rows->room, rows->count + 1))
		rows->rows[rows->count++] = *row;
	else
		rows->failed = true;
}

static void add_site(struct top_rows *rows, const struct top_capture *capture,
	const struct status_site *site)
{
	if (site->calls == 0)
		return;
	add(rows, &(struct top_row){
			  .rate = top_captures_rate(capture, site->recent),
			  .byte_rate = capture->count.has_ring
					       ? -1
					       : top_captures_rate(capture,
							 site->recent_bytes),
			  .total = site->calls,
			  .capture = capture,
			  .site = site,
		  });
}

static void add_thread(struct top_rows *rows, const struct top_capture *capture,
	const struct status_thread *thread)
{
	if (thread->calls == 0)
		return;
	add(rows, &(struct top_row){
			  .rate = top_captures_rate(capture, thread->recent),
			  .byte_rate = -1,
			  .total = thread->calls,
			  .threads = 1,
			  .pid = thread->pid,
			  .capture = capture,
			  .thread = thread,
		  });
}

static void add_capture(
	struct top_rows *rows, const struct top_capture *capture)
{
	const struct status_count *count = &capture->count;

	/* What a shell writes to until it executes something else. */
	if (capture->target.executed && count->calls == 0)
		return;
	add(rows, &(struct top_row){
			  .rate = top_captures_rate(capture, count->recent),
			  .byte_rate = count->has_ring
					       ? -1
					       : top_captures_rate(capture,
							 count->recent_bytes),
			  .total = count->calls,
			  .capture = capture,
		  });
}

static void gather(struct top_rows *rows, const struct top_captures *captures)
{
	size_t i, k;

	for (i = 0; i < captures->count; i++) {
		const struct top_capture *capture = captures->all[i];
		const struct status_count *count = &capture->count;

		rows->rate += top_captures_rate(capture, count->recent);
		switch (rows->view) {
		case TOP_VIEW_SITES:
			for (k = 0; k < count->site_room; k++)
				if (count->sites[k].program)
					add_site(rows, capture,
						&count->sites[k]);
			add_site(rows, capture, &count->other_sites);
			break;
		case TOP_VIEW_CAPTURES:
			add_capture(rows, capture);
			break;
		default:
			for (k = 0; k < count->thread_count; k++)
				add_thread(rows, capture, &count->threads[k]);
			add_thread(rows, capture, &count->other_threads);
		}
	}
}

/* ---- what is the same ---- */

static int compare_texts(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_formats(
	const struct status_site *a, const struct status_site *b)
{
	size_t least = a->format_bytes < b->format_bytes ? a->format_bytes
							 : b->format_bytes;
	int order = least > 0 ? memcmp(a->format, b->format, least) : 0;

	return order ? order
		     : compare_numbers(a->format_bytes, b->format_bytes);
}

static int compare_sites(
	const struct status_site *a, const struct status_site *b)
{
	int order = compare_texts(a->module, b->module);

	if (order == 0)
		order = compare_numbers(a->offset, b->offset);
	return order ? order : compare_formats(a, b);
}

/* By place, process, thread or file. */
static int compare_names(const void *left, const void *right)
{
	const struct top_row *a = left;
	const struct top_row *b = right;
	int order;

	if (a->site)
		return compare_sites(a->site, b->site);
	order = compare_texts(a->capture->target.path, b->capture->target.path);
	if (order == 0)
		order = compare_numbers(a->pid, b->pid);
	if (order == 0 && a->thread && b->thread)
		order = compare_numbers(a->thread->tid, b->thread->tid);
	return order;
}

uint64_t top_row_identity(const struct top_row *row)
{
	const struct status_site *site = row->site;
	const char *file = site ? site->module : row->capture->target.path;
	uint64_t hash = file ? bytehash(file, strlen(file), 0) : 0;

	if (site) {
		hash = bytehash_mix(hash, site->offset);
		if (site->format_bytes > 0)
			hash = bytehash(site->format, site->format_bytes, hash);
	} else {
		hash = bytehash_mix(hash, row->pid);
		if (row->thread)
			hash = bytehash_mix(hash, row->thread->tid);
	}
	return hash | 1;
}

static bool is_same(
	enum top_view view, const struct top_row *a, const struct top_row *b)
{
	if (view == TOP_VIEW_SITES)
		return compare_sites(a->site, b->site) == 0;
	return view == TOP_VIEW_PROCESSES && a->capture == b->capture &&
	       a->pid == b->pid;
}

/* They are sorted by name. */
static void join(struct top_rows *rows)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < rows->count; i++) {
		struct top_row *row = &rows->rows[i];
		struct top_row *last =
			count > 0 ? &rows->rows[count - 1] : NULL;

		if (!last || !is_same(rows->view, last, row)) {
			rows->rows[count++] = *row;
			continue;
		}
		last->rate += row->rate;
		last->total += row->total;
		last->threads += row->threads;
		if (last->byte_rate >= 0 && row->byte_rate >= 0)
			last->byte_rate += row->byte_rate;
		else
			last->byte_rate = -1;
	}
	rows->count = count;
}

/* ---- order ---- */

static int descending(double a, double b)
{
	return a < b ? 1 : -(a > b);
}

static int order_rates(const void *left, const void *right)
{
	const struct top_row *a = left;
	const struct top_row *b = right;
	int order = descending(a->rate, b->rate);

	if (order == 0)
		order = -compare_numbers(a->total, b->total);
	return order ? order : compare_names(a, b);
}

static int order_totals(const void *left, const void *right)
{
	const struct top_row *a = left;
	const struct top_row *b = right;
	int order = -compare_numbers(a->total, b->total);

	return order ? order : compare_names(a, b);
}

static int order_bytes(const void *left, const void *right)
{
	const struct top_row *a = left;
	const struct top_row *b = right;
	int order = descending(a->byte_rate, b->byte_rate);

	return order ? order : order_rates(a, b);
}

static void sort(struct top_rows *rows, const struct top_settings *settings)
{
	static int (*const orders[])(const void *, const void *) = {
		[TOP_SORT_RATE] = order_rates,
		[TOP_SORT_TOTAL] = order_totals,
		[TOP_SORT_BYTES] = order_bytes,
		[TOP_SORT_NAME] = compare_names,
	};
	size_t i;

	qsort(rows->rows, rows->count, sizeof(*rows->rows),
		orders[settings->sort]);
	for (i = 0; settings->reverse && i < rows->count / 2; i++) {
		struct top_row row = rows->rows[i];

		rows->rows[i] = rows->rows[rows->count - 1 - i];
		rows->rows[rows->count - 1 - i] = row;
	}
}

/*
 * What a line of a view says behind its numbers, by which it is also filtered.
 */

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

/* ---- all together ---- */

static void filter(
	struct top_rows *rows, const char *wanted, struct top_names *names)
{
	struct render_buffer words = {0};
	size_t kept = 0;
	size_t i;

	if (*wanted == '\0')
		return;
	for (i = 0; i < rows->count; i++) {
		words.length = 0;
		top_words(rows, &rows->rows[i], names, &words);
		render_buffer_put_byte(&words, '\0');
		if (words.failed || strcasestr(words.data, wanted))
			rows->rows[kept++] = rows->rows[i];
	}
	rows->count = kept;
	rows->failed |= words.failed;
	render_buffer_free(&words);
}

void top_rows_make(struct top_rows *rows, const struct top_captures *captures,
	const struct top_settings *settings, enum top_view view,
	struct top_names *names)
{
	*rows = (struct top_rows){.view = view};
	gather(rows, captures);
	if (rows->count == 0)
		return;
	qsort(rows->rows, rows->count, sizeof(*rows->rows), compare_names);
	join(rows);
	filter(rows, settings->filter, names);
	sort(rows, settings);
}

void top_rows_free(struct top_rows *rows)
{
	free(rows->rows);
	*rows = (struct top_rows){0};
}
