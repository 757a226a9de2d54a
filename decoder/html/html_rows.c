#include "decoder/html/html_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/limits.h"
#include "decoder/message/fields.h"

#define ROWS 4096u
#define CHUNK_BYTES ((size_t)1 << 20) /* of texts and values, about */

/* What stands before a value; html/data.js has the same. */
enum value_tag {
	VALUE_UNKNOWN,
	VALUE_INTEGER,
	VALUE_UNSIGNED,
	VALUE_FLOAT,
	VALUE_TEXT,
	VALUE_CUT, /* a text that goes on */
};

struct html_rows {
	struct html_page *page;
	uint32_t count; /* in this chunk */
	uint64_t done;	/* in those before */
	uint64_t wall;	/* of the row before it, or 0 */
	struct render_buffer walls;
	struct render_buffer threads;
	struct render_buffer shapes;
	struct render_buffer lengths;
	struct render_buffer texts;
	struct render_buffer values;
	struct render_buffer scratch;
};

struct html_rows *html_rows_new(struct html_page *page)
{
	struct html_rows *rows = calloc(1, sizeof(*rows));

	if (rows)
		rows->page = page;
	return rows;
}

void html_rows_put_number(struct render_buffer *out, uint64_t number)
{
	for (; number > 127; number >>= 7)
		render_buffer_put_byte(out, (char)(number | 128));
	render_buffer_put_byte(out, (char)number);
}

void html_rows_put_signed(struct render_buffer *out, uint64_t number)
{
	html_rows_put_number(
		out, number << 1 ^ (number >> 63 ? UINT64_MAX : 0));
}

static void put_sized(
	struct render_buffer *out, const struct render_buffer *from)
{
	html_rows_put_number(out, from->length);
	render_buffer_put(out, from->data, from->length);
	out->failed = out->failed || from->failed;
}

static void empty(struct html_rows *rows)
{
	rows->done += rows->count;
	rows->count = 0;
	rows->walls.length = rows->threads.length = rows->shapes.length = 0;
	rows->lengths.length = rows->texts.length = rows->values.length = 0;
	rows->wall = 0;
}

static void put_chunk(struct html_rows *rows)
{
	struct render_buffer parts[3] = {{0}};
	size_t i;

	html_rows_put_number(&parts[0], rows->count);
	put_sized(&parts[0], &rows->walls);
	put_sized(&parts[0], &rows->threads);
	put_sized(&parts[0], &rows->shapes);
	put_sized(&parts[1], &rows->lengths);
	put_sized(&parts[1], &rows->texts);
	put_sized(&parts[2], &rows->values);
	html_page_put_chunk(rows->page, "lines", parts, 3);
	for (i = 0; i < 3; i++)
		render_buffer_free(&parts[i]);
	empty(rows);
}

/* From there on, in units of 16 bits, as JavaScript counts. */
static size_t units_from(const struct render_buffer *text, size_t start)
{
	size_t units = 0;
	size_t i;

	for (i = start; i < text->length; i++) {
		units += ((unsigned char)text->data[i] & 0xc0) != 0x80;
		units += (unsigned char)text->data[i] >= 0xf0;
	}
	return units;
}

void html_rows_put(struct html_rows *rows, const struct html_row *row)
{
	size_t start = rows->texts.length;

	html_rows_put_signed(&rows->walls, row->wall - rows->wall);
	rows->wall = row->wall;
	html_rows_put_number(&rows->threads, row->thread);
	html_rows_put_number(&rows->shapes, row->shape);
	escape_put(&rows->texts, row->text, row->bytes, 0);
	html_rows_put_number(&rows->lengths, units_from(&rows->texts, start));
	html_rows_put_number(&rows->values, row->value_count);
	render_buffer_put(&rows->values, row->values, row->value_bytes);
	rows->count++;
	if (rows->count == ROWS ||
		rows->texts.length + rows->values.length >= CHUNK_BYTES)
		put_chunk(rows);
}

static void put_text(struct html_rows *rows, struct render_buffer *out,
	const struct field_value *value)
{
	bool cut = limits_exceeded(LIMIT_HTML_VALUE, value->bytes);

	rows->scratch.length = 0;
	escape_put(&rows->scratch, value->text,
		cut ? limits_size(LIMIT_HTML_VALUE) : value->bytes, 0);
	render_buffer_put_byte(out, cut ? VALUE_CUT : VALUE_TEXT);
	put_sized(out, &rows->scratch);
}

static void put_value(struct html_rows *rows, const struct field *field,
	const struct field_value *value, struct render_buffer *out)
{
	if (!value->known) {
		render_buffer_put_byte(out, VALUE_UNKNOWN);
		return;
	}
	switch (field->type) {
	case FIELD_INTEGER:
		render_buffer_put_byte(out, VALUE_INTEGER);
		html_rows_put_signed(out, value->u64);
		break;
	case FIELD_UNSIGNED:
	case FIELD_CHARACTER:
	case FIELD_POINTER:
		render_buffer_put_byte(out, VALUE_UNSIGNED);
		html_rows_put_number(out, value->u64);
		break;
	case FIELD_FLOAT:
		render_buffer_put_byte(out, VALUE_FLOAT);
		render_buffer_put(out, &value->f64, sizeof(value->f64));
		break;
	case FIELD_TEXT:
		put_text(rows, out, value);
		break;
	}
}

uint32_t html_rows_put_values(struct html_rows *rows,
	const struct message *message, struct render_buffer *out)
{
	const struct fields *fields = fields_of(message);
	struct render_buffer wide = {0};
	size_t start = out->length;
	size_t i;

	for (i = 0; i < fields->count; i++) {
		struct field_value value =
			field_value(&fields->all[i], message, &wide);

		if (limits_exceeded(LIMIT_HTML_VALUES, out->length - start))
			value.known = false;
		put_value(rows, &fields->all[i], &value, out);
	}
	render_buffer_free(&wide);
	return (uint32_t)fields->count;
}

uint64_t html_rows_end(struct html_rows *rows)
{
	uint64_t done;

	if (rows->count > 0)
		put_chunk(rows);
	done = rows->done;
	render_buffer_free(&rows->walls);
	render_buffer_free(&rows->threads);
	render_buffer_free(&rows->shapes);
	render_buffer_free(&rows->lengths);
	render_buffer_free(&rows->texts);
	render_buffer_free(&rows->values);
	render_buffer_free(&rows->scratch);
	free(rows);
	return done;
}
