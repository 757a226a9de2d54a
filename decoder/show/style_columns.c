#include "decoder/show/style_columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/escape.h"
#include "base/text_width.h"
#include "decoder/message/event_words.h"
#include "decoder/message/message_level.h"
#include "decoder/output/cells.h"
#include "decoder/output/colors.h"
#include "decoder/output/thread_past.h"
#include "decoder/query/filter.h"
#include "decoder/query/line_joiner.h"
#include "record/layout.h"

#define NS 1000000000u

/*
 * What is known of a line when it begins: kept in its head, before the cells,
 * until it is whole.
 */
struct start {
	uint64_t wall;
	uint64_t ticks;
	const struct recording *capture;
	const struct program *program;
	uint32_t tid;
	int32_t level;
	uint32_t ends[COLUMNS_MAX]; /* of the cells, behind this */
};

struct lines {
	struct style_settings settings;
	struct columns columns;
	bool named;
	struct cells *cells;
	struct line_joiner *joiner;
	struct start last; /* of the line before; no capture: there is none */
	struct render_buffer head; /* of a line that is whole at once */
	struct render_buffer tail;
	struct render_buffer cell;
	struct thread_pasts threads;
	uint64_t sequence;
};

static void put_tail(struct lines *lines, const struct message *message,
	struct render_buffer *tail)
{
	if (lines->settings.source)
		source_line_put(lines->settings.source, message, tail);
	if (!lines->settings.stack)
		return;
	stack_put(lines->settings.stack, message, tail);
	stack_put_origin(lines->settings.stack, message, tail);
}

static void put_head(struct lines *lines, const struct message *message,
	struct render_buffer *head)
{
	struct start start = {
		.wall = message->wall,
		.ticks = message->ticks,
		.capture = message->capture,
		.program = message->program,
		.tid = message->tid,
	};
	size_t at = head->length;
	size_t i;

	if (lines->settings.color || columns_have(&lines->columns, COLUMN_LAG))
		start.level = message_level(message);
	render_buffer_put(head, &start, sizeof(start));
	for (i = 0; i < lines->columns.count; i++) {
		enum column_name name = lines->columns.names[i];

		if (columns_all[name].of != COLUMN_OF_LINE)
			cells_put(lines->cells, name, message, head);
		start.ends[i] = (uint32_t)(head->length - at - sizeof(start));
	}
	if (!head->failed)
		memcpy(head->data + at, &start, sizeof(start));
}

static void describe(void *closure, const struct message *message,
	struct render_buffer *head, struct render_buffer *tail)
{
	put_head(closure, message, head);
	put_tail(closure, message, tail);
}

static void prepare(void *closure, const struct message *message,
	struct render_buffer *text)
{
	struct lines *lines = closure;

	text->named = lines->named;
	if (lines->settings.pointers)
		pointers_show(lines->settings.pointers, message, text);
}

/* Their ticks count the same thing from the same moment. */
static bool is_same_clock(const struct recording *a, const struct recording *b)
{
	static const uint8_t unknown[sizeof(a->header.boot_id)];

	return a == b || (a->header.clock == b->header.clock &&
				 memcmp(a->header.boot_id, unknown,
					 sizeof(unknown)) != 0 &&
				 memcmp(a->header.boot_id, b->header.boot_id,
					 sizeof(unknown)) == 0);
}

/* Lines that waited for their end may be older than the one before. */
static void put_difference(
	struct render_buffer *out, uint64_t now, uint64_t before)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, (int64_t)(now - before));
	render_buffer_put(out, text, strlen(text));
}

static void put_delta(struct lines *lines, const struct start *start)
{
	bool back = start->wall < lines->last.wall;
	uint64_t delta = back ? lines->last.wall - start->wall
			      : start->wall - lines->last.wall;
	char text[48];

	if (!lines->last.capture)
		return;
	snprintf(text, sizeof(text), "%s%" PRIu64 ".%09" PRIu64,
		back ? "-" : "", delta / NS, delta % NS);
	render_buffer_put(&lines->cell, text, strlen(text));
}

static void put_since_thread(
	struct lines *lines, const struct start *start, bool lag)
{
	const struct thread_past *past =
		thread_past_find(&lines->threads, start->program, start->tid);
	uint64_t before = !past ? 0
			  : lag ? thread_past_outer(past, start->level)
				: past->last;

	if (before > 0)
		put_difference(&lines->cell, start->ticks, before);
}

/* One that all of the line, and those before it, are known for. */
static void put_late_cell(
	struct lines *lines, enum column_name name, const struct start *start)
{
	char text[DIGITS_U64_MAX];

	switch (name) {
	case COLUMN_DELTA:
		put_delta(lines, start);
		break;
	case COLUMN_CYCLES:
		if (lines->last.capture &&
			is_same_clock(lines->last.capture, start->capture))
			put_difference(
				&lines->cell, start->ticks, lines->last.ticks);
		break;
	case COLUMN_THREAD_CYCLES:
		put_since_thread(lines, start, false);
		break;
	case COLUMN_LAG:
		put_since_thread(lines, start, true);
		break;
	case COLUMN_SEQUENCE:
		render_buffer_put(&lines->cell, text,
			(size_t)(digits_write(text, lines->sequence) - text));
		break;
	default:
		break;
	}
}

/* A column, and the space before the next one. */
static void put_padded(
	struct lines *lines, size_t number, const char *text, size_t bytes)
{
	struct render_buffer *out = &lines->settings.output->text;
	const struct column_kind *kind =
		&columns_all[lines->columns.names[number]];
	bool last = number + 1 == lines->columns.count;
	size_t width = text_width(text, bytes);
	size_t room = width < kind->width ? kind->width - width : 0;

	if (kind->right)
		render_buffer_fill(out, ' ', room);
	render_buffer_put(out, text, bytes);
	if (!kind->right && !last)
		render_buffer_fill(out, ' ', room);
	if (!last)
		render_buffer_put_byte(out, ' ');
}

/* Other lines of the last column begin below it. */
static void put_text(struct lines *lines, size_t number, size_t indent,
	int level, const char *text, size_t bytes)
{
	struct render_buffer *out = &lines->settings.output->text;
	const char *color = colors_of(level);

	if (number + 1 == lines->columns.count) {
		colors_put(out, level, text, bytes, indent);
		return;
	}
	lines->cell.length = 0;
	escape_put(&lines->cell, text, bytes, ESCAPE_NEWLINE);
	if (color)
		render_buffer_put(out, color, strlen(color));
	put_padded(lines, number, lines->cell.data, lines->cell.length);
	if (color)
		render_buffer_put(out, COLORS_END, sizeof(COLORS_END) - 1);
}

static void put_cell(struct lines *lines, size_t number,
	const struct start *start, const char *cells)
{
	enum column_name name = lines->columns.names[number];
	size_t from = number > 0 ? start->ends[number - 1] : 0;

	lines->cell.length = 0;
	if (columns_all[name].of == COLUMN_OF_LINE)
		put_late_cell(lines, name, start);
	else
		render_buffer_put(
			&lines->cell, cells + from, start->ends[number] - from);
	if (lines->cell.length == 0)
		render_buffer_put_byte(&lines->cell, '-');
	put_padded(lines, number, lines->cell.data, lines->cell.length);
}

static void remember(struct lines *lines, const struct start *start)
{
	struct thread_past *past =
		thread_past_find(&lines->threads, start->program, start->tid);

	lines->last = *start;
	if (!past)
		return;
	past->last = start->ticks;
	if (start->level >= 0 && start->level < THREAD_PAST_LEVELS)
		past->levels[start->level] = start->ticks;
}

static void put_lines(void *closure, const struct line_joiner_lines *whole)
{
	struct lines *lines = closure;
	struct render_buffer *out = &lines->settings.output->text;
	size_t begin = out->length;
	struct start start;
	size_t i;

	if (whole->head_bytes < sizeof(start))
		return; /* out of memory */
	memcpy(&start, whole->head, sizeof(start));
	lines->sequence++;
	for (i = 0; i < lines->columns.count; i++)
		if (lines->columns.names[i] == COLUMN_MESSAGE)
			put_text(lines, i,
				text_width(render_buffer_from(out, begin),
					out->length - begin),
				lines->settings.color ? start.level : -1,
				whole->text, whole->bytes);
		else
			put_cell(lines, i, &start, whole->head + sizeof(start));
	render_buffer_put_byte(out, '\n');
	render_buffer_put(out, whole->tail, whole->tail_bytes);
	remember(lines, &start);
	output_settle(lines->settings.output);
}

static void put_whole(void *closure, const struct message *message,
	const char *text, size_t bytes)
{
	struct lines *lines = closure;

	lines->head.length = lines->tail.length = 0;
	describe(closure, message, &lines->head, &lines->tail);
	put_lines(lines, &(struct line_joiner_lines){
				 .head = lines->head.data,
				 .head_bytes = lines->head.length,
				 .tail = lines->tail.data,
				 .tail_bytes = lines->tail.length,
				 .text = text,
				 .bytes = bytes,
			 });
}

/* An end comes after all that the process has said. */
static void put_event(struct lines *lines, const struct message *message)
{
	struct render_buffer words = {0};
	size_t before;

	if (event_words_are_of_process(message))
		line_joiner_end_process(lines->joiner, message);
	if (!event_words_are_of_call(message))
		render_buffer_put(&words, "end: ", 5);
	before = words.length;
	event_words_put(message, &words);
	if (filter_wants_line(style_rules(&lines->settings), message,
		    render_buffer_from(&words, before), words.length - before))
		put_whole(lines, message, words.data, words.length);
	render_buffer_free(&words);
}

static void put_names(struct lines *lines)
{
	size_t i;

	for (i = 0; i < lines->columns.count; i++) {
		const char *name = columns_all[lines->columns.names[i]].text;

		put_padded(lines, i, name, strlen(name));
	}
	render_buffer_put_byte(&lines->settings.output->text, '\n');
	output_put_first(lines->settings.output);
}

static void free_lines(struct lines *lines)
{
	cells_free(lines->cells);
	render_buffer_free(&lines->head);
	render_buffer_free(&lines->tail);
	render_buffer_free(&lines->cell);
	thread_past_free(&lines->threads);
	free(lines);
}

void *style_columns_begin_with(const struct style_settings *settings,
	const struct columns *columns, bool named)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	lines->settings = *settings;
	lines->columns = *columns;
	lines->named = named;
	lines->cells = cells_new(settings);
	lines->joiner = line_joiner_new(&(struct line_joiner_calls){
		.describe = describe,
		.lines = put_lines,
		.whole = put_whole,
		.prepare = prepare,
		.closure = lines,
		.rules = style_lines_rules(settings),
		.bare = settings->bare,
	});
	if (!lines->joiner || !lines->cells) {
		if (lines->joiner)
			line_joiner_end(lines->joiner);
		free_lines(lines);
		return NULL;
	}
	if (settings->batches)
		settings->batches->joiner = lines->joiner;
	if (!settings->options->quiet)
		put_names(lines);
	return lines;
}

static void *begin(const struct style_settings *settings)
{
	return style_columns_begin_with(
		settings, &settings->options->columns, false);
}

void style_columns_message(void *state, const struct message *message)
{
	struct lines *lines = state;

	if (!message_is_event(message))
		line_joiner_add(lines->joiner, message);
	else if (event_words_are(message))
		put_event(lines, message);
}

void style_columns_end(void *state)
{
	struct lines *lines = state;

	line_joiner_end(lines->joiner);
	free_lines(lines);
}

const struct style style_columns = {
	.name = "line",
	.reads = STYLE_READS_LINES,
	.begin = begin,
	.message = style_columns_message,
	.end = style_columns_end,
};
