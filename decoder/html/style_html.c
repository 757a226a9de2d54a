#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "base/limits.h"
#include "base/render_buffer.h"
#include "decoder/capture/recording_ring.h"
#include "decoder/html/html_index.h"
#include "decoder/html/html_page.h"
#include "decoder/message/event_words.h"
#include "decoder/message/message_level.h"
#include "decoder/output/style.h"
#include "decoder/query/filter.h"
#include "decoder/query/line_joiner.h"
#include "decoder/source/source.h"
#include "decoder/stats/spans.h"

/*
 * The spans of a report: how long it took from one message to another, by the
 * rules of --spans, for the lanes of its timeline.  Used by style_html.c;
 * they are written while messages are read, in chunks of their own.
 */

struct html_spans;

#define SPANS 16384u

struct html_spans {
	const struct options *options;
	struct html_index *index;
	struct html_page *page;
	struct spans *spans;
	uint32_t count; /* in this chunk */
	uint64_t wall;	/* of the one before in it, or 0 */
	struct render_buffer values;
	struct render_buffer key;
};

static void put_chunk(struct html_spans *spans)
{
	struct render_buffer chunk = {0};

	html_rows_put_number(&chunk, spans->count);
	render_buffer_put(&chunk, spans->values.data, spans->values.length);
	chunk.failed = chunk.failed || spans->values.failed;
	html_page_put_chunk(spans->page, "spans", &chunk, 1);
	render_buffer_free(&chunk);
	spans->values.length = 0;
	spans->count = 0;
	spans->wall = 0;
}

/* Those that have not ended have no length. */
static void take(void *closure, const struct span *span)
{
	struct html_spans *spans = closure;
	struct render_buffer *out = &spans->values;

	if (!span->ended)
		return;
	html_rows_put_signed(out, span->begin.wall - spans->wall);
	spans->wall = span->begin.wall;
	html_rows_put_number(out, span->duration);
	html_rows_put_number(out, span->rule);
	html_rows_put_number(
		out, html_index_thread_of(spans->index, span->begin.program,
			     span->begin.tid));
	spans->key.length = 0;
	escape_put(&spans->key, span->key,
		limits_cut(LIMIT_HTML_TEXT, span->key_bytes), ESCAPE_NEWLINE);
	html_rows_put_number(out, spans->key.length);
	render_buffer_put(out, spans->key.data, spans->key.length);
	if (++spans->count == SPANS)
		put_chunk(spans);
}

/*
 * The others stay the caller's.  Null: out of memory, or none are asked for:
 * then *failed is false.
 */
static struct html_spans *html_spans_new(const struct style_settings *settings,
	struct html_index *index, struct html_page *page, bool *failed)
{
	const struct span_rules *rules = &settings->options->spans;
	struct html_spans *spans;

	*failed = false;
	if (rules->count == 0)
		return NULL;
	spans = calloc(1, sizeof(*spans));
	if (spans) {
		spans->options = settings->options;
		spans->index = index;
		spans->page = page;
		spans->spans = spans_new(rules, NULL, take, spans);
	}
	if (spans && spans->spans)
		return spans;
	*failed = true;
	free(spans);
	return NULL;
}

/* Any message, in the order of the calls; `spans` may be null. */
static void html_spans_message(
	struct html_spans *spans, const struct message *message)
{
	if (spans && filter_selects(&spans->options->rules, message))
		spans_message(spans->spans, message);
}

/* [rule,how many have ended,how many have not] */
static void put_rules(const struct html_spans *spans,
	const struct span_rules *rules, struct render_buffer *out)
{
	size_t i;

	for (i = 0; i < rules->count; i++) {
		const struct span_sum *sum = spans_sum(spans->spans, i);

		html_json_put_plain(out, i > 0 ? ",[" : "[");
		html_json_put_string(out, rules->all[i].text);
		html_json_put_plain(out, ",");
		html_json_put_number(out, sum->durations.count);
		html_json_put_plain(out, ",");
		html_json_put_number(out, sum->unfinished);
		html_json_put_plain(out, "]");
	}
}

/* Writes what is left, and a member of a JSON object: what the rules are. */
static void html_spans_end(struct html_spans *spans,
	const struct style_settings *settings, struct render_buffer *out)
{
	html_json_put_plain(out, "\"spans\":[");
	if (spans) {
		spans_finish(spans->spans);
		if (spans->count > 0)
			put_chunk(spans);
		put_rules(spans, &settings->options->spans, out);
	}
	html_json_put_plain(out, "]");
}

/* Null is fine. */
static void html_spans_free(struct html_spans *spans)
{
	if (!spans)
		return;
	spans_free(spans->spans);
	render_buffer_free(&spans->values);
	render_buffer_free(&spans->key);
	free(spans);
}

/*
 * What a report says of its captures: how much of each was not recorded, and
 * what was wrong when they were read.  Used by style_html.c, at the end.
 */

/* [path,bytes,passed,dropped,bytes overwritten in its ring] */
static void put_capture(const struct recording *capture, size_t *shown,
	struct render_buffer *out)
{
	if (limits_reached(LIMIT_HTML_CAPTURES, *shown))
		return;
	html_json_put_plain(out, (*shown)++ > 0 ? ",\n[" : "[");
	html_json_put_string(out, capture->path);
	html_json_put_plain(out, ",");
	html_json_put_number(out, capture->size);
	html_json_put_plain(out, ",");
	html_json_put_number(out, capture->passed);
	html_json_put_plain(out, ",");
	html_json_put_number(out, capture->dropped);
	html_json_put_plain(out, ",");
	html_json_put_number(
		out, capture->ring ? capture->ring->head.overwritten : 0);
	html_json_put_plain(out, "]");
}

/* Of the last capture: all have one list. */
static const struct error_list *put_captures(
	const struct style_settings *settings, struct render_buffer *out)
{
	const struct error_list *errors = NULL;
	struct recording *const *packed;
	size_t shown = 0;
	size_t count, i;

	html_json_put_plain(out, "\"captures\":[");
	for (i = 0; i < settings->capture_count; i++) {
		put_capture(settings->captures[i], &shown, out);
		errors = settings->captures[i]->errors;
	}
	packed = source_packed(settings->messages, &count);
	for (i = 0; i < count; i++) {
		put_capture(packed[i], &shown, out);
		errors = packed[i]->errors;
	}
	html_json_put_plain(out, "]");
	return errors;
}

static void put_sentence(
	const char *sentence, size_t *shown, struct render_buffer *out)
{
	html_json_put_plain(out, (*shown)++ > 0 ? ",\n" : "");
	html_json_put_string(out, sentence);
}

static void put_errors(const struct error_list *errors, size_t *shown,
	struct render_buffer *out)
{
	char sentence[4608];
	size_t more = errors->more;
	size_t i;

	for (i = 0; i < errors->count && i < ERROR_KEPT_MAX; i++) {
		error_sentence(&errors->kept[i], sentence, sizeof(sentence));
		put_sentence(sentence, shown, out);
	}
	more += errors->count - i;
	if (more == 0)
		return;
	snprintf(sentence, sizeof(sentence), "and %zu more of this kind", more);
	put_sentence(sentence, shown, out);
}

/* Members of a JSON object, with a comma between them. */
static void html_losses_put(
	const struct style_settings *settings, struct render_buffer *out)
{
	const struct error_list *errors = put_captures(settings, out);
	const char *sentence;
	size_t shown = 0;
	size_t i;

	html_json_put_plain(out, ",\n\"problems\":[");
	if (errors)
		put_errors(errors, &shown, out);
	for (i = 0; settings->locations &&
		    (sentence = locations_complaint(settings->locations, i));
		i++)
		put_sentence(sentence, &shown, out);
	html_json_put_plain(out, "]");
}

#define NS 1000000000u
#define ZONE_STEP                                                              \
	(UINT64_C(15) * 60)   /* which come at full quarters of an hour */
#define TAIL_BYTES_MAX 16384u /* of pieces; what comes then is text alone */

/* What is known of a line when it begins: its head. */
struct start {
	uint64_t wall;
	uint32_t thread;
	uint32_t stream;
	int32_t level;
};

/* One call that it is made of: in its tail, and its values behind it. */
struct piece {
	uint32_t site;
	uint32_t values;
	size_t bytes;
};

struct report {
	struct style_settings settings;
	struct line_joiner *joiner;
	struct html_page *page;
	struct html_rows *rows;
	struct html_index *index;
	struct html_spans *spans; /* null: none are asked for */
	uint64_t calls;
	bool said; /* the message has gone into a line already */
	struct render_buffer head; /* of a line that is whole at once */
	struct render_buffer tail;
	struct render_buffer values; /* of a line */
	struct render_buffer zones;  /* [row,seconds east of UTC] */
	uint32_t zone_count;
	uint64_t quarter; /* that `zone` is for */
	long zone;
	uint64_t row;
};

static void put_piece(struct report *report, const struct message *message,
	uint32_t site, struct render_buffer *tail)
{
	struct piece piece = {
		.site = site | (report->said ? HTML_INDEX_AGAIN : 0)};
	size_t at = tail->length;

	render_buffer_put(tail, &piece, sizeof(piece));
	piece.values = html_rows_put_values(report->rows, message, tail);
	piece.bytes = tail->length - at - sizeof(piece);
	if (!tail->failed)
		memcpy(tail->data + at, &piece, sizeof(piece));
	report->said = true;
}

static void describe(void *closure, const struct message *message,
	struct render_buffer *head, struct render_buffer *tail)
{
	struct report *report = closure;
	struct start start = {
		.wall = message->wall,
		.thread = html_index_thread(report->index, message),
		.level = message_level(message),
	};
	uint32_t site;

	html_index_site(report->index, message, &site, &start.stream);
	render_buffer_put(head, &start, sizeof(start));
	put_piece(report, message, site, tail);
}

/* Another call goes on with the line. */
static void more(void *closure, const struct message *message,
	struct render_buffer *tail)
{
	struct report *report = closure;
	uint32_t site, stream;

	if (message->continues || tail->length > TAIL_BYTES_MAX)
		return;
	html_index_site(report->index, message, &site, &stream);
	put_piece(report, message, site, tail);
}

/* Takes the pieces of the tail apart. */
static void take_pieces(struct report *report, const char *tail, size_t bytes,
	struct html_index_shape *shape, struct html_row *row)
{
	struct piece piece;
	size_t at = 0;

	report->values.length = 0;
	while (bytes - at >= sizeof(piece)) {
		memcpy(&piece, tail + at, sizeof(piece));
		at += sizeof(piece);
		if (piece.bytes > bytes - at ||
			limits_reached(LIMIT_HTML_SITES, shape->count))
			break;
		shape->sites[shape->count++] = piece.site;
		row->value_count += piece.values;
		render_buffer_put(&report->values, tail + at, piece.bytes);
		at += piece.bytes;
	}
	row->values = report->values.data;
	row->value_bytes = report->values.length;
}

/* As the style line shows times: in the time zone of whoever makes this. */
static void note_zone(struct report *report, uint64_t wall)
{
	time_t second = (time_t)(wall / NS);
	uint64_t quarter = wall / NS / ZONE_STEP;
	char text[64];
	struct tm tm;

	if (report->settings.utc || quarter == report->quarter)
		return;
	report->quarter = quarter;
	if (!localtime_r(&second, &tm) || tm.tm_gmtoff == report->zone ||
		limits_reached(LIMIT_HTML_ZONES, report->zone_count))
		return;
	report->zone = tm.tm_gmtoff;
	snprintf(text, sizeof(text), "%s[%" PRIu64 ",%ld]",
		report->zone_count++ > 0 ? "," : "", report->row, report->zone);
	html_json_put_plain(&report->zones, text);
}

static void put_row(struct report *report, const struct start *start,
	struct html_index_shape *shape, struct html_row *row)
{
	shape->stream = start->stream;
	shape->level = start->level;
	row->wall = start->wall;
	row->thread = start->thread;
	row->shape = html_index_shape(report->index, shape);
	note_zone(report, row->wall);
	html_rows_put(report->rows, row);
	report->row++;
}

static void put_lines(void *closure, const struct line_joiner_lines *lines)
{
	struct html_row row = {.text = lines->text, .bytes = lines->bytes};
	struct html_index_shape shape = {0};
	struct start start;

	if (lines->head_bytes < sizeof(start))
		return; /* out of memory */
	memcpy(&start, lines->head, sizeof(start));
	take_pieces(closure, lines->tail, lines->tail_bytes, &shape, &row);
	put_row(closure, &start, &shape, &row);
}

static void put_whole(void *closure, const struct message *message,
	const char *text, size_t bytes)
{
	struct report *report = closure;

	report->head.length = report->tail.length = 0;
	describe(closure, message, &report->head, &report->tail);
	put_lines(closure, &(struct line_joiner_lines){
				   .head = report->head.data,
				   .head_bytes = report->head.length,
				   .tail = report->tail.data,
				   .tail_bytes = report->tail.length,
				   .text = text,
				   .bytes = bytes,
			   });
}

static void prepare(void *closure, const struct message *message,
	struct render_buffer *text)
{
	struct report *report = closure;

	if (report->settings.pointers)
		pointers_show(report->settings.pointers, message, text);
}

/* The end of a process is a line of no call. */
static void put_end(struct report *report, const struct message *message,
	const struct render_buffer *words)
{
	struct html_row row = {.text = words->data, .bytes = words->length};
	struct html_index_shape shape = {0};
	const struct start start = {
		.wall = message->wall,
		.thread = html_index_thread(report->index, message),
		.stream = HTML_INDEX_STREAM_END,
		.level = message_level(message),
	};

	put_row(report, &start, &shape, &row);
}

/* An end comes after all that the process has said. */
static void put_event(struct report *report, const struct message *message)
{
	bool of_call = event_words_are_of_call(message);
	struct render_buffer words = {0};

	if (event_words_are_of_process(message))
		line_joiner_end_process(report->joiner, message);
	event_words_put(message, &words);
	if (!filter_wants_line(style_rules(&report->settings), message,
		    words.data, words.length))
		words.length = 0;
	else if (of_call)
		put_whole(report, message, words.data, words.length);
	else
		put_end(report, message, &words);
	render_buffer_free(&words);
}

static void free_report(struct report *report)
{
	html_spans_free(report->spans);
	html_index_free(report->index);
	html_page_free(report->page);
	render_buffer_free(&report->head);
	render_buffer_free(&report->tail);
	render_buffer_free(&report->values);
	render_buffer_free(&report->zones);
	free(report);
}

static struct line_joiner *new_joiner(struct report *report)
{
	return line_joiner_new(&(struct line_joiner_calls){
		.describe = describe,
		.more = more,
		.lines = put_lines,
		.whole = put_whole,
		.prepare = prepare,
		.closure = report,
		.rules = style_lines_rules(&report->settings),
	});
}

void *style_html_begin(const struct style_settings *settings)
{
	struct report *report = calloc(1, sizeof(*report));
	bool failed = true;

	if (!report)
		return NULL;
	report->settings = *settings;
	report->index = html_index_new(settings);
	report->page = html_page_begin(settings->output);
	if (report->page)
		report->rows = html_rows_new(report->page);
	if (report->rows && report->index)
		report->spans = html_spans_new(
			settings, report->index, report->page, &failed);
	if (!failed)
		report->joiner = new_joiner(report);
	if (!report->joiner) {
		if (report->rows)
			html_rows_end(report->rows);
		free_report(report);
		return NULL;
	}
	if (settings->batches)
		settings->batches->joiner = report->joiner;
	return report;
}

void style_html_message(void *state, const struct message *message)
{
	struct report *report = state;

	html_spans_message(report->spans, message);
	report->said = message->continues || message_is_event(message);
	if (message_is_event(message)) {
		if (event_words_are(message))
			put_event(report, message);
		return;
	}
	report->calls += !message->partial;
	line_joiner_add(report->joiner, message);
}

static void put_index(
	const struct report *report, uint64_t rows, struct render_buffer *out)
{
	html_json_put_plain(out, "{\"rows\":");
	html_json_put_number(out, rows);
	html_json_put_plain(out, ",\"calls\":");
	html_json_put_number(out, report->calls);
	html_json_put_plain(out, ",\"stacks\":");
	html_json_put_plain(out, report->settings.stack ? "true" : "false");
	html_json_put_plain(out, ",\"utc\":");
	html_json_put_plain(out, report->settings.utc ? "true" : "false");
	html_json_put_plain(out, ",\"zones\":[");
	render_buffer_put(out, report->zones.data, report->zones.length);
	html_json_put_plain(out, "],\n");
	html_spans_end(report->spans, &report->settings, out);
	html_json_put_plain(out, ",\n");
	html_losses_put(&report->settings, out);
	html_json_put_plain(out, ",\n");
	html_index_put(report->index, out);
	html_json_put_plain(out, "}");
}

void style_html_end(void *state)
{
	struct report *report = state;
	struct render_buffer index = {0};

	line_joiner_end(report->joiner);
	put_index(report, html_rows_end(report->rows), &index);
	html_page_end(report->page, &index);
	report->page = NULL;
	render_buffer_free(&index);
	free_report(report);
}
