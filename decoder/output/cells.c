#include "decoder/output/cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/escape.h"
#include "base/literal.h"
#include "decoder/capture/named_text.h"
#include "decoder/message/category.h"
#include "decoder/message/event_words.h"
#include "decoder/message/facts.h"
#include "decoder/names/frames.h"
#include "record/layout.h"

struct cells {
	struct calendar calendar;
	struct category *category;
	struct locations *locations;
	struct render_buffer scratch;
};

struct cells *cells_new(const struct style_settings *settings)
{
	struct cells *cells = calloc(1, sizeof(*cells));

	if (!cells)
		return NULL;
	cells->calendar.utc = settings->utc;
	cells->locations = settings->locations;
	cells->category = category_new(settings->rules, settings->locations);
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

static void put_arguments(struct cells *cells, const struct message *message,
	struct render_buffer *out)
{
	const struct definition_string *format =
		message_is_event(message) ? NULL : message_statement(message);
	const struct definition_statement *statement =
		message->context->statement;
	size_t first = definition_arguments_before(message->context);
	size_t count = message->count - first;

	if (!format || message->context->text == BINLOG_TEXT_LITERAL ||
		message->context->text == BINLOG_TEXT_LITERAL_LINE ||
		first > message->count)
		return;
	if (statement) {
		format = statement->inner;
		first += statement->prefix;
		count -= (size_t)statement->prefix + statement->tail;
	}
	cells->scratch.length = 0;
	named_text_put_arguments(
		&cells->scratch, format, message->arguments + first, count);
	escape_put(out, cells->scratch.data, cells->scratch.length,
		ESCAPE_NEWLINE);
}

/* The last part of the file's path and the line; or else the module. */
static void put_location(void *closure, const struct location *location)
{
	const char *slash;

	if (location->file && location->line) {
		slash = strrchr(location->file, '/');
		put_string(closure, slash ? slash + 1 : location->file);
		put_string(closure, ":");
		render_buffer_put_number(closure, location->line);
	} else {
		put_string(closure, location->module);
	}
}

static void put_fact(struct cells *cells, enum fact_name name,
	const struct message *message, struct render_buffer *out)
{
	struct fact fact;

	if (!facts_find(
		    name, cells->locations, message, &cells->scratch, &fact))
		return;
	if (fact.kind == FACT_NUMBER)
		render_buffer_put_number(out, fact.number);
	else if (name == FACT_format)
		literal_put(out, fact.text, fact.bytes);
	else
		escape_put(out, fact.text, fact.bytes, ESCAPE_NEWLINE);
}

void cells_put(struct cells *cells, enum column_name column,
	const struct message *message, struct render_buffer *out)
{
	enum fact_name fact = columns_all[column].fact;

	if (column == COLUMN_TIME) {
		calendar_append(&cells->calendar, message->wall, out);
		return;
	}
	/* the end of a process has been said by no call */
	if (fact >= FACT_stream && message_is_event(message) &&
		!event_words_are_of_call(message))
		return;
	if (fact != FACT_NAMES)
		put_fact(cells, fact, message, out);
	else if (column == COLUMN_CATEGORY)
		category_put(cells->category, message, out);
	else if (column == COLUMN_ARGUMENTS)
		put_arguments(cells, message, out);
	else if (column == COLUMN_LOCATION && cells->locations)
		frames_author(cells->locations, message, put_location, out);
}
