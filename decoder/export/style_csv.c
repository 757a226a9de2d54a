#include <stdlib.h>

#include "base/calendar.h"
#include "base/json_text.h"
#include "decoder/export/csv_sites.h"
#include "decoder/export/csv_text.h"
#include "decoder/message/category.h"
#include "decoder/message/message_level.h"
#include "decoder/message/message_words.h"
#include "decoder/message/whole_call.h"
#include "decoder/output/style.h"
#include "rules/levels.h"

/* A row for each call: of one table, or of that of its site. */
struct csv {
	struct style_settings settings;
	struct calendar calendar;
	struct whole_call call;
	struct csv_sites *sites; /* null: all are one table */
	struct render_buffer word;
	struct render_buffer cell;
};

void *style_csv_begin(const struct style_settings *settings)
{
	struct csv *csv = calloc(1, sizeof(*csv));

	if (!csv)
		return NULL;
	csv->settings = *settings;
	csv->calendar.utc = settings->utc;
	csv->call.pointers = settings->pointers;
	if (settings->directory) {
		csv->sites = csv_sites_new(settings);
		if (csv->sites)
			return csv;
		free(csv);
		return NULL;
	}
	json_text_put(&settings->output->text,
		"time,program,pid,tid,thread,stream,level,module,function,"
		"format,message\n");
	return csv;
}

static void put_origin(struct csv *csv, const struct message *message,
	struct render_buffer *out)
{
	calendar_append(&csv->calendar, message->wall, out);
	render_buffer_put_byte(out, ',');
	csv_text_word(out, message->program->name, &csv->cell);
	render_buffer_put_byte(out, ',');
	json_text_unsigned(out, message->pid);
	render_buffer_put_byte(out, ',');
	json_text_unsigned(out, message->tid);
	render_buffer_put_byte(out, ',');
	csv_text_word(out, message->thread, &csv->cell);
	render_buffer_put_byte(out, ',');
}

/* All that is known before the text is whole. */
static void begin_row(void *state, const struct message *message)
{
	struct csv *csv = state;
	const struct definition_string *function = message->context->function;
	const struct definition_string *format = message_format(message);
	struct render_buffer *out = &csv->settings.output->text;
	struct render_buffer *cell = &csv->cell;

	put_origin(csv, message, out);
	csv->word.length = 0;
	message_words_stream(message, &csv->word);
	csv_text_put(out, csv->word.data, csv->word.length, cell);
	render_buffer_put_byte(out, ',');
	csv_text_word(out, level_name(message_level(message)), cell);
	render_buffer_put_byte(out, ',');
	csv_text_word(out, category_module(message), cell);
	render_buffer_put_byte(out, ',');
	csv_text_word(out, function ? function->bytes : NULL, cell);
	render_buffer_put_byte(out, ',');
	if (format)
		csv_text_put(out, format->bytes, format->length, cell);
	render_buffer_put_byte(out, ',');
}

static void end_row(void *state)
{
	struct csv *csv = state;
	struct render_buffer *out = &csv->settings.output->text;

	csv_text_put(
		out, csv->call.text.data, csv->call.text.length, &csv->cell);
	render_buffer_put_byte(out, '\n');
	output_settle(csv->settings.output);
}

static const struct whole_call_parts parts = {
	.begin = begin_row,
	.end = end_row,
};

void style_csv_message(void *state, const struct message *message)
{
	struct csv *csv = state;

	if (!csv->sites)
		whole_call_message(&csv->call, message, &parts, csv);
	else if (!message_is_event(message))
		csv_sites_message(csv->sites, message);
}

void style_csv_end(void *state)
{
	struct csv *csv = state;
	struct render_buffer *out = &csv->settings.output->text;

	if (csv->call.open)
		end_row(csv);
	if (csv->sites)
		csv_sites_end(csv->sites);
	render_buffer_retire(&csv->call.text, out);
	render_buffer_retire(&csv->word, out);
	render_buffer_retire(&csv->cell, out);
	free(csv);
}
