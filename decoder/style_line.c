#include <stdlib.h>
#include <string.h>

#include "decoder/calendar.h"
#include "decoder/digits.h"
#include "decoder/escape.h"
#include "decoder/filter.h"
#include "decoder/frames.h"
#include "decoder/last_words.h"
#include "decoder/line_joiner.h"
#include "decoder/style.h"
#include "record/layout.h"

#define NS 1000000000u

#define AUTHORS 64u	 /* a power of two */
#define AUTHOR_BYTES 48u /* longer ones are put together each time */

/* ` program[pid:tid] ` of a thread that has written before. */
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
	uint64_t second;		/* that `date` is for, in nanoseconds */
	char date[CALENDAR_BYTES];	/* up to the second, and a point */
	uint32_t date_bytes;		/* 0: not set */
	struct author authors[AUTHORS]; /* by tid */
};

static void put_string(struct render_buffer *out, const char *string)
{
	render_buffer_put(out, string, strlen(string));
}

static void put_foreign(struct render_buffer *out, const char *string)
{
	escape_put(out, string, strlen(string), ESCAPE_NEWLINE);
}

static void put_number(struct render_buffer *out, uint32_t number)
{
	char text[DIGITS_U64_MAX];

	render_buffer_put(
		out, text, (size_t)(digits_write(text, number) - text));
}

/* Most messages are of the same second as the one before. */
static void make_date(struct line *line, uint64_t wall)
{
	calendar_put(line->date, wall / NS, line->settings.utc);
	line->date_bytes = (uint32_t)strlen(line->date);
	line->date[line->date_bytes++] = '.';
	line->second = wall - wall % NS;
}

static void put_time(
	struct line *line, struct render_buffer *out, uint64_t wall)
{
	char *at;

	if (line->date_bytes == 0 || wall - line->second >= NS)
		make_date(line, wall);
	if (!render_buffer_reserve(out, sizeof(line->date) + 9))
		return;
	at = out->data + out->length;
	memcpy(at, line->date, sizeof(line->date));
	at = digits_write_nanoseconds(
		at + line->date_bytes, (uint32_t)(wall - line->second));
	out->length = (size_t)(at - out->data);
}

static void put_priority(struct render_buffer *out, uint32_t priority)
{
	static const char *const facilities[] = {"kern", "user", "mail",
		"daemon", "auth", "syslog", "lpr", "news", "uucp", "cron",
		"authpriv", "ftp", "12", "13", "14", "15", "local0", "local1",
		"local2", "local3", "local4", "local5", "local6", "local7"};
	static const char *const levels[] = {"emerg", "alert", "crit", "err",
		"warning", "notice", "info", "debug"};
	uint32_t facility = priority >> 3;

	if (facility < sizeof(facilities) / sizeof(facilities[0]))
		put_string(out, facilities[facility]);
	else
		put_number(out, facility);
	render_buffer_put_byte(out, '.');
	put_string(out, levels[priority & 7]);
}

/* One file behind both (a terminal, 2>&1): the descriptor tells which. */
static void put_stream(struct render_buffer *out, const struct message *message)
{
	uint32_t flags = message_stream(message);
	int32_t fd =
		message->context->stream ? message->context->stream->fd : -1;
	bool both = flags & BINLOG_STREAM_STDOUT && fd != 2;

	if (both || flags == BINLOG_STREAM_STDOUT) {
		put_string(out, "stdout");
	} else if (flags & BINLOG_STREAM_STDERR) {
		put_string(out, "stderr");
	} else if (message->context->stream && message->context->stream->path) {
		put_foreign(out, message->context->stream->path);
	} else if (fd >= 0) {
		put_string(out, "fd");
		put_number(out, (uint32_t)fd);
	} else {
		render_buffer_put_byte(out, '?');
	}
}

/* A name other than the program's: `ident: ` before the text. */
static void put_ident(struct render_buffer *out, const struct message *message,
	const struct message_syslog *syslog)
{
	if (!syslog->ident ||
		(strlen(message->program->name) == syslog->ident_bytes &&
			memcmp(message->program->name, syslog->ident,
				syslog->ident_bytes) == 0))
		return;
	escape_put(out, syslog->ident, syslog->ident_bytes, ESCAPE_NEWLINE);
	put_string(out, ": ");
}

static void write_author(
	const struct message *message, struct render_buffer *head)
{
	render_buffer_put_byte(head, ' ');
	put_foreign(head, message->program->name);
	render_buffer_put_byte(head, '[');
	put_number(head, message->pid);
	render_buffer_put_byte(head, ':');
	put_number(head, message->tid);
	render_buffer_put(head, "] ", 2);
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
	write_author(message, head);
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
	put_time(line, head, message->wall);
	put_author(line, message, head);
}

/* `file:line: function: `, or what is known of it. */
static void put_place(void *closure, const struct place *place)
{
	struct render_buffer *out = closure;
	const char *slash = place->file ? strrchr(place->file, '/') : NULL;

	if (place->file && place->line) {
		put_foreign(out, slash ? slash + 1 : place->file);
		render_buffer_put_byte(out, ':');
		put_number(out, place->line);
		render_buffer_put(out, ": ", 2);
	} else if (place->module) {
		put_foreign(out, place->module);
		render_buffer_put(out, ": ", 2);
	}
	if (place->function) {
		put_foreign(out, place->function);
		render_buffer_put(out, ": ", 2);
	}
}

static void put_head(struct line *line, const struct message *message,
	struct render_buffer *head)
{
	struct message_syslog syslog;

	put_origin(line, message, head);
	if (message_is_syslog(message, &syslog)) {
		put_priority(head, syslog.priority);
		render_buffer_put(head, ": ", 2);
		put_ident(head, message, &syslog);
	} else {
		put_stream(head, message);
		render_buffer_put(head, ": ", 2);
	}
	if (line->settings.where)
		frames_author(line->settings.where, message, put_place, head);
}

static void put_tail(struct line *line, const struct message *message,
	struct render_buffer *tail)
{
	if (line->settings.source)
		source_line_put(line->settings.source, message, tail);
	if (line->settings.stack)
		stack_put(line->settings.stack, message, tail);
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
	struct line *line = closure;

	if (line->settings.pointers)
		pointers_show(line->settings.pointers, message, text);
}

static void put_lines(void *closure, const struct line_joiner_lines *lines)
{
	struct line *line = closure;
	struct render_buffer *out = &line->settings.output->text;

	render_buffer_put(out, lines->head, lines->head_bytes);
	escape_put(out, lines->text, lines->bytes, lines->head_bytes);
	render_buffer_put_byte(out, '\n');
	render_buffer_put(out, lines->tail, lines->tail_bytes);
	output_settle(line->settings.output);
}

static void put_whole(void *closure, const struct message *message,
	const char *text, size_t bytes)
{
	struct line *line = closure;
	struct render_buffer *out = &line->settings.output->text;
	size_t start = out->length;

	put_head(line, message, out);
	escape_put(out, text, bytes, out->length - start);
	render_buffer_put_byte(out, '\n');
	put_tail(line, message, out);
	output_settle(line->settings.output);
}

static bool is_asked_for(const struct line *line, const struct message *message,
	const char *words, size_t bytes)
{
	const struct options *options = line->settings.options;

	return !filter_asks_for_lines(options) ||
	       (filter_is_timely(options, message) &&
		       filter_chooses(options, message) &&
		       filter_finds(options, words, bytes));
}

/* After all that the process has said. */
static void put_end(struct line *line, const struct message *message)
{
	struct render_buffer *out = &line->settings.output->text;
	size_t start;
	size_t words;

	line_joiner_end_process(line->joiner, message);
	start = out->length;
	put_origin(line, message, out);
	put_string(out, "end: ");
	words = out->length;
	last_words_put(message, out);
	if (!is_asked_for(
		    line, message, out->data + words, out->length - words)) {
		out->length = start;
		return;
	}
	render_buffer_put_byte(out, '\n');
	if (line->settings.stack)
		stack_put(line->settings.stack, message, out);
	output_settle(line->settings.output);
}

void *style_line_begin(const struct style_settings *settings)
{
	struct line *line = calloc(1, sizeof(*line));

	if (!line)
		return NULL;
	line->settings = *settings;
	line->joiner = line_joiner_new(&(struct line_joiner_calls){
		.describe = describe,
		.lines = put_lines,
		.whole = put_whole,
		.prepare = prepare,
		.closure = line,
		.options = filter_asks_for_lines(settings->options)
				   ? settings->options
				   : NULL,
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
	else if (last_words_are(message))
		put_end(line, message);
}

void style_line_end(void *state)
{
	struct line *line = state;

	line_joiner_end(line->joiner);
	free(line);
}
