#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/calendar.h"
#include "base/escape.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/render_buffer.h"
#include "decoder/message/facts.h"
#include "decoder/message/fields.h"
#include "decoder/message/site_table.h"
#include "decoder/message/whole_call.h"
#include "decoder/names/frames.h"
#include "decoder/output/output_directory.h"
#include "decoder/output/style.h"
#include "record/format.h"
#include "record/word.h"

/*
 * Cells of comma-separated values, as RFC 4180 quotes them.  Used by the style
 * of that name; promises that a spreadsheet takes no text for a formula, and
 * that the whole is safe on a terminal.
 */

/* Each is doubled. */
static void put_quotes(struct render_buffer *out, const char *at, size_t bytes)
{
	const char *end = bytes > 0 ? at + bytes : at;

	while (at < end) {
		const char *quote = memchr(at, '"', (size_t)(end - at));
		const char *stop = quote ? quote + 1 : end;

		render_buffer_put(out, at, (size_t)(stop - at));
		if (quote)
			render_buffer_put_byte(out, '"');
		at = stop;
	}
}

/* Spreadsheets take what begins so for a formula, whether it is quoted or
 * not. */
static bool is_formula(char first)
{
	return first && strchr("=+-@\t'", first);
}

/*
 * Appends text, always in quotes.  One that begins with = + - @ or ' gets a '
 * before it; what lines of binlog-show escape is escaped here, too.
 */
static void csv_text_put(struct render_buffer *out, const char *text,
	size_t bytes, struct render_buffer *scratch)
{
	scratch->length = 0;
	escape_put(scratch, text, bytes, 0);
	render_buffer_put_byte(out, '"');
	if (scratch->length > 0 && is_formula(scratch->data[0]))
		render_buffer_put_byte(out, '\'');
	put_quotes(out, scratch->data, scratch->length);
	render_buffer_put_byte(out, '"');
}

/* Of one that ends in NUL; null is an empty cell. */
static void csv_text_word(struct render_buffer *out, const char *word,
	struct render_buffer *scratch)
{
	if (word)
		csv_text_put(out, word, strlen(word), scratch);
}

/* A value: numbers as they are, null as an empty cell. */
static void csv_text_value(struct render_buffer *out, const struct field *field,
	const struct field_value *value, struct render_buffer *scratch)
{
	struct field_text text;

	if (!value->known)
		return;
	if (field_is_text(field)) {
		field_text_of(&text, field, value);
		csv_text_put(out, text.bytes, text.size, scratch);
	} else if (field->type != FIELD_FLOAT || isfinite(value->f64)) {
		field_words_put(out, field, value);
	} else if (isnan(value->f64)) {
		json_text_put(out, "NaN");
	} else if (value->f64 < 0) {
		json_text_put(out, "-Infinity");
	} else {
		json_text_put(out, "Infinity");
	}
}

/*
 * Comma-separated values in a directory: a table for each place that calls,
 * with a column for each argument, and a table of the tables.  The style csv
 * gives it all calls; promises to hold boundedly many rows.
 */

struct csv_sites;

/* No more tables than these: the rest is one. */
#define TABLE_BYTES ((size_t)1 << 16) /* written when there are so many */
#define ROWS_BYTES ((size_t)1 << 26)  /* of all tables, likewise */
#define NAME_BYTES 56u
#define COMMON "time,pid,tid,thread" /* columns that all tables have */

/* Of a site, or of all that are too many. */
struct csv_table {
	char name[NAME_BYTES];
	bool made;		   /* the file */
	bool text;		   /* it has no arguments that say it all */
	struct render_buffer rows; /* to be written */
	const char *about;	   /* the cells of the index that tell of it */
	size_t about_bytes;
};

struct csv_sites {
	struct style_settings settings;
	struct calendar calendar;
	struct whole_call call;
	struct site_table table;
	struct csv_table rest;
	struct csv_table *open; /* whose row has been begun */
	size_t bytes;		/* of rows in all tables */
	uint64_t rest_calls;
	struct render_buffer value;
	struct render_buffer cell;
};

/* Null: out of memory. */
static struct csv_sites *csv_sites_new(const struct style_settings *settings)
{
	struct csv_sites *sites = calloc(1, sizeof(*sites));

	if (!sites)
		return NULL;
	sites->settings = *settings;
	sites->calendar.utc = settings->utc;
	sites->call.pointers = settings->pointers;
	sites->table.most = limits_size(LIMIT_TABLES);
	sites->rest.text = true;
	snprintf(sites->rest.name, sizeof(sites->rest.name), "rest.csv");
	return sites;
}

static void write_rows(struct csv_sites *sites, struct csv_table *table)
{
	if (table->rows.length == 0)
		return;
	sites->bytes -= table->rows.length;
	output_directory_append(sites->settings.output, table->name,
		!table->made, &table->rows);
	render_buffer_free(&table->rows);
	table->made = true;
}

static void write_all(struct csv_sites *sites)
{
	size_t i;

	for (i = 0; i < sites->table.count; i++) {
		struct csv_table *table = sites->table.sites[i]->own;

		if (table)
			write_rows(sites, table);
	}
	write_rows(sites, &sites->rest);
}

/* Words of the format's text, as far as they fit. */
static void name_table(struct csv_table *table, const struct site *site)
{
	const char *text = site->format ? site->format : site->function;
	size_t bytes = site->format ? site->format_bytes
		       : text	    ? strlen(text)
				    : 0;
	size_t used = (size_t)snprintf(
		table->name, NAME_BYTES, "%04" PRIu32, site->number);
	struct format_directive piece;
	struct format_cursor cursor;
	size_t i;

	format_begin(&cursor, text ? text : "", bytes);
	while (format_next(&cursor, &piece)) {
		bool apart = true;

		for (i = 0; piece.conversion == 0 && i < piece.length; i++) {
			if (!word_has(piece.text[i])) {
				apart = true;
				continue;
			}
			if (used + sizeof("-x.csv") > NAME_BYTES)
				break;
			if (apart)
				table->name[used++] = '-';
			table->name[used++] = piece.text[i];
			apart = false;
		}
	}
	memcpy(table->name + used, ".csv", sizeof(".csv"));
}

/* Whether a column before this one has the name, for who ignores case. */
static bool is_taken(
	const struct fields *fields, size_t count, const char *name)
{
	static const char *const words[] = {"time", "pid", "tid", "thread"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(words[i], name) == 0)
			return true;
	for (i = 0; i < count; i++)
		if (strcasecmp(fields->all[i].name, name) == 0)
			return true;
	return false;
}

static void put_names(struct csv_sites *sites, struct csv_table *table,
	const struct message *message)
{
	const struct fields *fields = fields_of(message);
	struct render_buffer *out = &table->rows;
	size_t i;

	json_text_put(out, COMMON);
	for (i = 0; i < fields->count; i++) {
		const char *name = fields->all[i].name;

		render_buffer_put_byte(out, ',');
		render_buffer_put(out, name, strlen(name));
		if (is_taken(fields, i, name)) {
			render_buffer_put_byte(out, '_');
			json_text_unsigned(out, i + 1);
		}
	}
	if (table->text)
		json_text_put(out, ",message");
	render_buffer_put_byte(out, '\n');
	sites->bytes += out->length;
}

static void take_author(void *closure, const struct location *location)
{
	struct csv_sites *sites = closure;
	struct render_buffer *out = &sites->value;

	csv_text_word(out, location->function, &sites->cell);
	render_buffer_put_byte(out, ',');
	csv_text_word(out, location->file, &sites->cell);
	render_buffer_put_byte(out, ',');
	if (location->file)
		json_text_unsigned(out, location->line);
}

/* What stands in the index, behind the name and the number of calls. */
static void describe(struct csv_sites *sites, struct csv_table *table,
	const struct site *site, const struct message *message)
{
	struct render_buffer *out = &sites->value;
	struct render_buffer *cell = &sites->cell;
	char offset[32];

	out->length = 0;
	csv_text_word(out, site->module, cell);
	snprintf(offset, sizeof(offset), ",0x%" PRIx64 ",", site->offset);
	render_buffer_put(out, offset, strlen(offset));
	csv_text_word(out, site->function, cell);
	if (sites->settings.location) {
		render_buffer_put_byte(out, ',');
		frames_author(
			sites->settings.location, message, take_author, sites);
	}
	render_buffer_put_byte(out, ',');
	if (site->format)
		csv_text_put(out, site->format, site->format_bytes, cell);
	render_buffer_put_byte(out, '\n');
	table->about = pool_copy(&sites->table.pool, out->data, out->length);
	table->about_bytes = table->about ? out->length : 0;
}

/* Whether what the call said is in its format and arguments. */
static bool is_all_fields(const struct message *message)
{
	switch (message->context->text) {
	case BINLOG_TEXT_LITERAL:
	case BINLOG_TEXT_LITERAL_LINE:
		return true;
	}
	return fields_of(message)->count > 0;
}

/* Null: out of memory. */
static struct csv_table *make(struct csv_sites *sites, const struct site *site,
	const struct message *message)
{
	struct csv_table *table = pool_take(&sites->table.pool, sizeof(*table));

	if (!table)
		return NULL;
	*table = (struct csv_table){.text = !is_all_fields(message)};
	name_table(table, site);
	describe(sites, table, site, message);
	put_names(sites, table, message);
	return table;
}

static struct csv_table *table_of(
	struct csv_sites *sites, const struct message *message)
{
	struct site *site = site_table_find(&sites->table, message);

	if (site && !site->own)
		site->own = make(sites, site, message);
	if (site && site->own) {
		site->calls++;
		return site->own;
	}
	if (sites->rest_calls++ == 0) {
		json_text_put(&sites->rest.rows, COMMON ",message\n");
		sites->bytes += sites->rest.rows.length;
	}
	return &sites->rest;
}

static void sites_begin_row(
	struct csv_sites *sites, const struct message *message)
{
	struct csv_table *table = table_of(sites, message);
	struct render_buffer *out = &table->rows;
	const struct fields *fields = fields_of(message);
	size_t start = out->length;
	size_t i;

	calendar_append(&sites->calendar, message->wall, out);
	render_buffer_put_byte(out, ',');
	json_text_unsigned(out, message->pid);
	render_buffer_put_byte(out, ',');
	json_text_unsigned(out, message->tid);
	render_buffer_put_byte(out, ',');
	csv_text_word(out, message->thread, &sites->cell);
	for (i = 0; table != &sites->rest && i < fields->count; i++) {
		struct field_value value =
			field_value(&fields->all[i], message, &sites->value);

		render_buffer_put_byte(out, ',');
		csv_text_value(out, &fields->all[i], &value, &sites->cell);
	}
	sites->bytes += out->length - start;
	sites->open = table;
}

static void sites_end_row(struct csv_sites *sites)
{
	struct csv_table *table = sites->open;
	struct render_buffer *out = &table->rows;
	size_t start = out->length;

	if (table->text) {
		render_buffer_put_byte(out, ',');
		csv_text_put(out, sites->call.text.data,
			sites->call.text.length, &sites->cell);
	}
	render_buffer_put_byte(out, '\n');
	whole_call_forget(&sites->call);
	sites->open = NULL;
	sites->bytes += out->length - start;
	if (out->length >= TABLE_BYTES)
		write_rows(sites, table);
	if (sites->bytes >= ROWS_BYTES)
		write_all(sites);
}

/* No event. */
static void csv_sites_message(
	struct csv_sites *sites, const struct message *message)
{
	if (sites->open && whole_call_ended(&sites->call, message))
		sites_end_row(sites);
	if (!sites->open)
		sites_begin_row(sites, message);
	if (whole_call_add(&sites->call, message))
		sites_end_row(sites);
}

static void put_index(struct csv_sites *sites, struct render_buffer *out)
{
	size_t i;

	json_text_put(out, "file,calls,module,offset,function,");
	if (sites->settings.location)
		json_text_put(out, "caller,source,line,");
	json_text_put(out, "format\n");
	for (i = 0; i < sites->table.count; i++) {
		const struct site *site = sites->table.sites[i];
		const struct csv_table *table = site->own;

		if (!table)
			continue;
		csv_text_word(out, table->name, &sites->cell);
		render_buffer_put_byte(out, ',');
		json_text_unsigned(out, site->calls);
		render_buffer_put_byte(out, ',');
		render_buffer_put(out, table->about, table->about_bytes);
	}
	if (sites->rest_calls == 0)
		return;
	json_text_put(out, "\"rest.csv\",");
	json_text_unsigned(out, sites->rest_calls);
	json_text_put(out, ",,,,");
	if (sites->settings.location)
		json_text_put(out, ",,,");
	render_buffer_put_byte(out, '\n');
}

/* Writes what is left, and frees all. */
static void csv_sites_end(struct csv_sites *sites)
{
	struct output *directory = sites->settings.output;
	struct output index;

	if (sites->open)
		sites_end_row(sites);
	write_all(sites);
	if (output_directory_begin(directory, "index.csv", &index)) {
		put_index(sites, &index.text);
		output_directory_end(directory, &index);
	}
	render_buffer_free(&sites->rest.rows);
	render_buffer_retire(&sites->call.text, &directory->text);
	render_buffer_retire(&sites->value, &directory->text);
	render_buffer_retire(&sites->cell, &directory->text);
	site_table_free(&sites->table);
	free(sites);
}

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

/* All that is known before the text is whole. */
static void begin_row(void *state, const struct message *message)
{
	static const enum fact_name names[] = {FACT_program, FACT_pid, FACT_tid,
		FACT_thread, FACT_stream, FACT_level, FACT_module,
		FACT_function, FACT_format};
	struct csv *csv = state;
	struct render_buffer *out = &csv->settings.output->text;
	struct fact fact;
	size_t i;

	calendar_append(&csv->calendar, message->wall, out);
	render_buffer_put_byte(out, ',');
	for (i = 0; i < FACTS_COUNT(names); i++) {
		if (!facts_find(names[i], NULL, message, &csv->word, &fact))
			; /* an empty cell */
		else if (fact.kind == FACT_NUMBER)
			json_text_unsigned(out, fact.number);
		else
			csv_text_put(out, fact.text, fact.bytes, &csv->cell);
		render_buffer_put_byte(out, ',');
	}
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
