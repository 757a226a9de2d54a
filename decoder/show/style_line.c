#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/escape.h"
#include "base/link.h"
#include "base/text_width.h"
#include "decoder/message/event_words.h"
#include "decoder/message/message_level.h"
#include "decoder/names/frames.h"
#include "decoder/output/colors.h"
#include "decoder/output/style.h"
#include "decoder/query/filter.h"
#include "decoder/query/line_joiner.h"
#include "decoder/show/line_place.h"
#include "decoder/show/line_screen.h"
#include "record/layout.h"

#define AUTHORS 64u	 /* a power of two */
#define SCREEN_LINES 64u /* that somebody waits for */
#define AUTHOR_BYTES 48u /* longer ones are put together each time */

/* ` program[pid:tid] `, or ` program `, of a thread that has written before. */
struct author {
	const char *name; /* these are whose it is; null: nobody's */
	uint32_t pid;
	uint32_t tid;
	uint32_t bytes;
	char text[AUTHOR_BYTES];
};

struct line {
	struct style_settings settings;
	struct line_joiner *joiner;
	struct calendar calendar;
	struct author authors[AUTHORS]; /* by tid */
	bool on_screen;
	struct line_screen screen; /* if it is */
	unsigned shown; /* lines, up to SCREEN_LINES, where names are asked */
};

static void put_foreign(struct render_buffer *out, const char *string)
{
	escape_put(out, string, strlen(string), ESCAPE_NEWLINE);
}

/* On a screen a thread that is the process's first has one number. */
static void write_author(const struct line *line, const struct message *message,
	struct render_buffer *head)
{
	render_buffer_put_byte(head, ' ');
	put_foreign(head, message->program->name);
	if (!message->capture->text) {
		render_buffer_put_byte(head, '[');
		render_buffer_put_number(head, message->pid);
		if (!line->on_screen || message->tid != message->pid) {
			render_buffer_put_byte(head, ':');
			render_buffer_put_number(head, message->tid);
		}
		render_buffer_put_byte(head, ']');
	}
	render_buffer_put_byte(head, ' ');
}

static void put_author(struct line *line, const struct message *message,
	struct render_buffer *head)
{
	struct author *author = &line->authors[message->tid % AUTHORS];
	size_t start = head->length;

	if (author->name == message->program->name &&
		author->pid == message->pid && author->tid == message->tid &&
		render_buffer_reserve(head, sizeof(author->text))) {
		memcpy(head->data + start, author->text, sizeof(author->text));
		head->length += author->bytes;
		return;
	}
	write_author(line, message, head);
	author->name = NULL;
	if (head->length - start > sizeof(author->text) || head->failed)
		return;
	author->bytes = (uint32_t)(head->length - start);
	memcpy(author->text, head->data + start, author->bytes);
	author->name = message->program->name;
	author->pid = message->pid;
	author->tid = message->tid;
}

/* When, and who. */
static void put_origin(struct line *line, const struct message *message,
	struct render_buffer *head)
{
	if (line->on_screen)
		line_screen_put_time(&line->screen, message->wall, head);
	else
		calendar_append(&line->calendar, message->wall, head);
	put_author(line, message, head);
}

/* Who said it, as a link to there. */
static void put_location(void *closure, const struct location *location)
{
	bool linked = location->file && location->line;

	if (linked)
		link_begin(closure, location->file, location->line);
	message_words_location(closure, location);
	if (linked)
		link_end(closure, location->file);
}

static void put_head(struct line *line, const struct message *message,
	struct render_buffer *head)
{
	struct message_syslog syslog;

	put_origin(line, message, head);
	if (message_is_syslog(message, &syslog)) {
		message_words_priority(
			syslog.priority, message_level(message), head);
		render_buffer_put(head, ": ", 2);
		message_words_ident(message, &syslog, head);
	} else {
		message_words_stream(message, head);
		render_buffer_put(head, ": ", 2);
	}
	if (line->settings.location)
		frames_author(
			line->settings.location, message, put_location, head);
}

static void put_stack(struct line *line, const struct message *message,
	struct render_buffer *out)
{
	stack_put(line->settings.stack, message, out);
	stack_put_origin(line->settings.stack, message, out);
}

static void put_tail(struct line *line, const struct message *message,
	struct render_buffer *tail)
{
	if (line->settings.source)
		source_line_put(line->settings.source, message, tail);
	if (line->settings.stack)
		put_stack(line, message, tail);
}

static void put_colored(struct render_buffer *out, int level, const char *text,
	size_t bytes, size_t indent)
{
	if (level < 0)
		escape_put(out, text, bytes, indent);
	else
		colors_put(out, level, text, bytes, indent);
}

/* A text with what is around it. */
struct shown {
	size_t start;			/* of its line in the output */
	int level;			/* for its colour; -1: none */
	const struct line_place *place; /* null: it is not known yet, */
	const struct message *message;	/* if this has it; null: nor later */
	const char *text;
	size_t bytes;
};

/* The columns of the line before it has colours. */
static size_t columns_of_first(const struct shown *shown, size_t first,
	size_t indent, struct render_buffer *out)
{
	const size_t head = out->length;
	size_t columns;

	escape_put(out, shown->text, first, indent);
	columns = line_place_columns(render_buffer_from(out, shown->start),
		out->length - shown->start);
	out->length = head;
	return columns;
}

/* Further lines of the text begin below its first one. */
static void put_text(struct line *line, const struct shown *shown)
{
	struct render_buffer *out = &line->settings.output->text;
	const char *end = shown->bytes > 0
				  ? memchr(shown->text, '\n', shown->bytes)
				  : NULL;
	size_t first = end ? (size_t)(end - shown->text) : shown->bytes;
	size_t indent = end ? text_width(render_buffer_from(out, shown->start),
				      out->length - shown->start)
			    : 0;
	struct line_place_room room = {.width = line->settings.output->width,
		.color = line->settings.color};
	const struct line_place *place = shown->place;

	if (!line->settings.places || !(place || shown->message)) {
		put_colored(
			out, shown->level, shown->text, shown->bytes, indent);
		render_buffer_put_byte(out, '\n');
		return;
	}
	room.used = columns_of_first(shown, first, indent, out);
	if (!place && room.used + LINE_PLACE_LEAST <= room.width)
		place = line_place_of(line->settings.places, shown->message);
	put_colored(out, shown->level, shown->text, first, indent);
	if (place)
		line_place_put(place, &room, out);
	if (end)
		put_colored(
			out, shown->level, end, shown->bytes - first, indent);
	render_buffer_put_byte(out, '\n');
}

/* Where there are colours the level comes first, then what is for a screen:
 * the time, and the place, which is put there later. */
static void describe(void *closure, const struct message *message,
	struct render_buffer *head, struct render_buffer *tail)
{
	const struct line *line = closure;

	if (line->settings.color)
		render_buffer_put_byte(head, (char)message_level(message));
	if (line->on_screen)
		render_buffer_put(head, (const char *)&message->wall,
			sizeof(message->wall));
	if (line->on_screen && line->settings.places)
		line_place_save(
			line_place_of(line->settings.places, message), head);
	put_head(closure, message, head);
	put_tail(closure, message, tail);
}

static void prepare(void *closure, const struct message *message,
	struct render_buffer *text)
{
	struct line *line = closure;

	if (line->settings.pointers)
		pointers_show(line->settings.pointers, message, text);
}

/* What stands below a line was appended from there on. */
static void fold_tail(struct line *line, size_t from)
{
	if (line->on_screen && line->settings.stack && !line->settings.source)
		line_screen_fold_stack(
			&line->screen, &line->settings.output->text, from);
}

/* The first screen does not wait for names of what is on later ones. */
static void settle(struct line *line)
{
	struct output *output = line->settings.output;

	output_settle(output);
	if (line->settings.places && line->shown < SCREEN_LINES &&
		++line->shown == SCREEN_LINES && output->fd != OUTPUT_KEPT &&
		!output_takes_lines(output))
		output_flush(output);
}

static void put_lines(void *closure, const struct line_joiner_lines *lines)
{
	struct line *line = closure;
	struct render_buffer *out = &line->settings.output->text;
	const char *head = lines->head;
	size_t bytes = lines->head_bytes;
	bool color = line->settings.color && bytes > 0;
	struct shown shown = {.level = color ? *head : -1,
		.text = lines->text,
		.bytes = lines->bytes};
	struct line_place place;
	uint64_t wall;
	size_t start;

	head += color;
	bytes -= color;
	if (line->on_screen && bytes >= sizeof(wall)) {
		memcpy(&wall, head, sizeof(wall));
		line_screen_put_day(&line->screen, wall, out);
		head += sizeof(wall);
		bytes -= sizeof(wall);
	}
	if (line->on_screen && line->settings.places) {
		size_t loaded = line_place_load(&place, head, bytes);

		shown.place = &place;
		head += loaded;
		bytes -= loaded;
	}
	shown.start = out->length;
	render_buffer_put(out, head, bytes);
	put_text(line, &shown);
	start = out->length;
	render_buffer_put(out, lines->tail, lines->tail_bytes);
	fold_tail(line, start);
	settle(line);
}

static void put_whole(void *closure, const struct message *message,
	const char *text, size_t bytes)
{
	struct line *line = closure;
	struct render_buffer *out = &line->settings.output->text;
	struct shown shown = {
		.level = line->settings.color ? message_level(message) : -1,
		.message = message,
		.text = text,
		.bytes = bytes};
	size_t start;

	if (line->on_screen)
		line_screen_put_day(&line->screen, message->wall, out);
	shown.start = out->length;
	put_head(line, message, out);
	put_text(line, &shown);
	start = out->length;
	put_tail(line, message, out);
	fold_tail(line, start);
	settle(line);
}

/* A line that is there already from `start` on. */
static void put_day_before(
	struct line *line, const struct message *message, size_t start)
{
	struct render_buffer *out = &line->settings.output->text;
	struct render_buffer text = {0};

	render_buffer_put(
		&text, render_buffer_from(out, start), out->length - start);
	out->length = start;
	line_screen_put_day(&line->screen, message->wall, out);
	render_buffer_put(out, text.data, text.length);
	out->failed |= text.failed;
	render_buffer_free(&text);
}

/* An end comes after all that the process has said. */
static void put_event(struct line *line, const struct message *message)
{
	struct render_buffer *out = &line->settings.output->text;
	size_t start;
	size_t words;

	if (event_words_are_of_process(message))
		line_joiner_end_process(line->joiner, message);
	start = out->length;
	if (event_words_are_of_call(message)) {
		put_head(line, message, out);
	} else {
		put_origin(line, message, out);
		render_buffer_put_string(out, "end: ");
	}
	words = out->length;
	event_words_put(message, out);
	if (!filter_wants_line(style_rules(&line->settings), message,
		    render_buffer_from(out, words), out->length - words)) {
		out->length = start;
		return;
	}
	if (line->on_screen)
		put_day_before(line, message, start);
	render_buffer_put_byte(out, '\n');
	if (line->settings.stack)
		put_stack(line, message, out);
	output_settle(line->settings.output);
}

void *style_line_begin(const struct style_settings *settings)
{
	struct line *line = calloc(1, sizeof(*line));

	if (!line)
		return NULL;
	line->settings = *settings;
	line->calendar.utc = settings->utc;
	line->on_screen = settings->output->width > 0;
	line_screen_begin(&line->screen, settings->output, settings->utc);
	line->joiner = line_joiner_new(&(struct line_joiner_calls){
		.describe = describe,
		.lines = put_lines,
		.whole = put_whole,
		.prepare = prepare,
		.closure = line,
		.rules = style_lines_rules(settings),
		.bare = settings->bare,
	});
	if (line->joiner && settings->batches)
		settings->batches->joiner = line->joiner;
	if (line->joiner)
		return line;
	free(line);
	return NULL;
}

void style_line_message(void *state, const struct message *message)
{
	struct line *line = state;

	if (!message_is_event(message))
		line_joiner_add(line->joiner, message);
	else if (event_words_are(message))
		put_event(line, message);
}

void style_line_end(void *state)
{
	struct line *line = state;

	line_joiner_end(line->joiner);
	line_screen_end(&line->screen);
	free(line);
}
