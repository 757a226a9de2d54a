#include "decoder/output/cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/digits.h"
#include "base/escape.h"
#include "base/literal.h"
#include "decoder/capture/named_text.h"
#include "decoder/capture/recording.h"
#include "decoder/message/category.h"
#include "decoder/message/event_words.h"
#include "decoder/message/message_level.h"
#include "decoder/message/numa.h"
#include "decoder/names/frames.h"
#include "record/layout.h"
#include "rules/levels.h"

struct cells {
	struct calendar calendar;
	struct category *category;
	struct places *places;
	struct render_buffer scratch;
};

struct cells *cells_new(const struct style_settings *settings)
{
	struct cells *cells = calloc(1, sizeof(*cells));

	if (!cells)
		return NULL;
	cells->calendar.utc = settings->utc;
	cells->places = settings->places;
	cells->category = category_new(settings->rules, settings->places);
	if (cells->category)
		return cells;
	free(cells);
	return NULL;
}

void cells_free(struct cells *cells)
{
	if (!cells)
		return;
	category_free(cells->category);
	render_buffer_free(&cells->scratch);
	free(cells);
}

static void put_string(struct render_buffer *out, const char *string)
{
	if (string)
		escape_put(out, string, strlen(string), ESCAPE_NEWLINE);
}

static void put_number(struct render_buffer *out, uint64_t number)
{
	char text[DIGITS_U64_MAX];

	render_buffer_put(
		out, text, (size_t)(digits_write(text, number) - text));
}

static void put_last_part(struct render_buffer *out, const char *path)
{
	const char *slash = strrchr(path, '/');

	put_string(out, slash ? slash + 1 : path);
}

static void put_node(const struct message *message, struct render_buffer *out)
{
	int node = message->core > 0 && liveness_is_here(message->capture)
			   ? numa_node(message->core - 1)
			   : -1;

	if (node >= 0)
		put_number(out, (uint64_t)node);
}

/* Of syslog alone. */
static void put_syslog(const struct message *message, enum column_name column,
	struct render_buffer *out)
{
	struct message_syslog syslog;

	if (!message_is_syslog(message, &syslog))
		return;
	if (column == COLUMN_PRIORITY)
		message_words_priority(syslog.priority, out);
	else if (syslog.ident)
		escape_put(
			out, syslog.ident, syslog.ident_bytes, ESCAPE_NEWLINE);
}

static void put_format(const struct message *message, struct render_buffer *out)
{
	const struct definition_string *format =
		message_is_event(message) ? NULL : message_format(message);

	if (format)
		literal_put(out, format->bytes, format->length);
}

static void put_arguments(struct cells *cells, const struct message *message,
	struct render_buffer *out)
{
	const struct definition_string *format =
		message_is_event(message) ? NULL : message_format(message);
	size_t first = definition_arguments_before(message->context);

	if (!format || message->context->text == BINLOG_TEXT_LITERAL ||
		message->context->text == BINLOG_TEXT_LITERAL_LINE ||
		first > message->count)
		return;
	cells->scratch.length = 0;
	named_text_put_arguments(&cells->scratch, format,
		message->arguments + first, message->count - first);
	escape_put(out, cells->scratch.data, cells->scratch.length,
		ESCAPE_NEWLINE);
}

static void put_caller(void *closure, const struct place *place)
{
	put_string(closure, place->function);
}

static void put_where(void *closure, const struct place *place)
{
	if (place->file && place->line) {
		put_last_part(closure, place->file);
		put_string(closure, ":");
		put_number(closure, place->line);
	} else {
		put_string(closure, place->module);
	}
}

static void put_place(struct cells *cells, enum column_name column,
	const struct message *message, struct render_buffer *out)
{
	if (cells->places)
		frames_author(cells->places, message,
			column == COLUMN_CALLER ? put_caller : put_where, out);
}

/* Of who has said it and when. */
static bool put_origin(struct cells *cells, enum column_name column,
	const struct message *message, struct render_buffer *out)
{
	switch (column) {
	case COLUMN_TIME:
		calendar_append(&cells->calendar, message->wall, out);
		break;
	case COLUMN_TICKS:
		put_number(out, message->ticks);
		break;
	case COLUMN_PROGRAM:
		put_string(out, message->program->name);
		break;
	case COLUMN_PID:
		put_number(out, message->pid);
		break;
	case COLUMN_TID:
		put_number(out, message->tid);
		break;
	case COLUMN_THREAD:
		put_string(out, message->thread);
		break;
	case COLUMN_CORE:
		if (message->core > 0)
			put_number(out, message->core - 1);
		break;
	case COLUMN_NUMA:
		put_node(message, out);
		break;
	case COLUMN_CAPTURE:
		put_last_part(out, message->capture->path);
		break;
	default:
		return false;
	}
	return true;
}

/* Of what was said; the end of a process has no such thing. */
static void put_call(struct cells *cells, enum column_name column,
	const struct message *message, struct render_buffer *out)
{
	switch (column) {
	case COLUMN_STREAM:
		message_words_stream(message, out);
		break;
	case COLUMN_LEVEL:
		put_string(out, level_name(message_level(message)));
		break;
	case COLUMN_PRIORITY:
	case COLUMN_IDENT:
		put_syslog(message, column, out);
		break;
	case COLUMN_CATEGORY:
		category_put(cells->category, message, out);
		break;
	case COLUMN_FUNCTION:
		if (message->context->function)
			put_string(out, message->context->function->bytes);
		break;
	case COLUMN_MODULE:
		put_string(out, category_module(message));
		break;
	case COLUMN_FORMAT:
		put_format(message, out);
		break;
	case COLUMN_ARGUMENTS:
		put_arguments(cells, message, out);
		break;
	default:
		put_place(cells, column, message, out);
	}
}

void cells_put(struct cells *cells, enum column_name column,
	const struct message *message, struct render_buffer *out)
{
	if (!put_origin(cells, column, message, out) &&
		(!message_is_event(message) ||
			event_words_are_of_call(message)))
		put_call(cells, column, message, out);
}
