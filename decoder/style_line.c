#include <stdlib.h>
#include <string.h>

#include "decoder/calendar.h"
#include "decoder/escape.h"
#include "decoder/frames.h"
#include "decoder/last_words.h"
#include "decoder/line_joiner.h"
#include "decoder/style.h"
#include "record/layout.h"

#define NS 1000000000u

struct line {
	struct style_settings settings;
	struct line_joiner *joiner;
	uint64_t second;	   /* that `date` is for */
	char date[CALENDAR_BYTES]; /* up to the second; empty: not set */
};

static void put_string(struct render_buffer *out, const char *string)
{
	render_buffer_put(out, string, strlen(string));
}

static void put_foreign(struct render_buffer *out, const char *string)
{
	escape_put(out, string, strlen(string), ESCAPE_NEWLINE);
}

/* `digits` of them at least. */
static void put_number(
	struct render_buffer *out, uint64_t number, unsigned digits)
{
	char text[24];
	char *at = text + sizeof(text);
	const char *zeros = at - digits;

	for (; number > 0 || at > zeros; number /= 10)
		*--at = (char)('0' + number % 10);
	render_buffer_put(out, at, (size_t)(text + sizeof(text) - at));
}

/* Most messages are of the same second as the one before. */
static void make_date(struct line *line, uint64_t second)
{
	calendar_put(line->date, second, line->settings.utc);
	line->second = second;
}

static void put_time(
	struct line *line, struct render_buffer *out, uint64_t wall)
{
	if (!*line->date || wall / NS != line->second)
		make_date(line, wall / NS);
	put_string(out, line->date);
	render_buffer_put_byte(out, '.');
	put_number(out, wall % NS, 9);
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
		put_number(out, facility, 1);
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
		put_number(out, (uint32_t)fd, 1);
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

/* When, and who. */
static void put_origin(struct line *line, const struct message *message,
	struct render_buffer *head)
{
	put_time(line, head, message->wall);
	render_buffer_put_byte(head, ' ');
	put_foreign(head, message->program->name);
	render_buffer_put_byte(head, '[');
	put_number(head, message->pid, 1);
	render_buffer_put_byte(head, ':');
	put_number(head, message->tid, 1);
	render_buffer_put(head, "] ", 2);
}

/* `file:line: function: `, or what is known of it. */
static void put_author(void *closure, const struct place *place)
{
	struct render_buffer *out = closure;
	const char *slash = place->file ? strrchr(place->file, '/') : NULL;

	if (place->file && place->line) {
		put_foreign(out, slash ? slash + 1 : place->file);
		render_buffer_put_byte(out, ':');
		put_number(out, place->line, 1);
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

static void describe(void *closure, const struct message *message,
	struct render_buffer *head, struct render_buffer *tail)
{
	struct line *line = closure;
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
		frames_author(line->settings.where, message, put_author, head);
	if (line->settings.source)
		source_line_put(line->settings.source, message, tail);
	if (line->settings.stack)
		stack_put(line->settings.stack, message, tail);
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

/* After all that the process has said. */
static void put_end(struct line *line, const struct message *message)
{
	struct render_buffer *out = &line->settings.output->text;

	line_joiner_end_process(line->joiner, message);
	put_origin(line, message, out);
	put_string(out, "end: ");
	last_words_put(message, out);
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
		.prepare = prepare,
		.closure = line,
	});
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
