#include "decoder/fleet/row_binary.h"

#include <string.h>

/* One row is not larger. */
#define ROW_MAX ((size_t)1 << 30)
#define REFUSAL_MAX ((size_t)1 << 16)

struct row_cursor {
	const char *at;
	const char *end;
	bool short_of; /* there is not all of it yet */
};

static const char *take_bytes(struct row_cursor *cursor, size_t count)
{
	const char *at = cursor->at;

	if ((size_t)(cursor->end - at) < count) {
		cursor->short_of = true;
		return NULL;
	}
	cursor->at += count;
	return at;
}

static uint64_t take_number(struct row_cursor *cursor, size_t width)
{
	const char *at = take_bytes(cursor, width);
	uint64_t number = 0;

	if (at)
		memcpy(&number, at, width);
	return number;
}

static size_t take_size(struct row_cursor *cursor)
{
	uint64_t size = 0;
	unsigned shift;

	for (shift = 0; shift < 63 && !cursor->short_of; shift += 7) {
		const uint64_t byte = take_number(cursor, 1);

		size |= (byte & 127) << shift;
		if (byte < 128)
			return (size_t)size;
	}
	cursor->short_of = true;
	return 0;
}

static void take_value(struct row_cursor *cursor, enum fleet_type type,
	struct row_value *value)
{
	size_t i;

	switch (type) {
	case FLEET_U8:
		value->number = take_number(cursor, 1);
		return;
	case FLEET_U32:
		value->number = take_number(cursor, 4);
		return;
	case FLEET_U64:
		value->number = take_number(cursor, 8);
		return;
	case FLEET_TEXT:
		value->count = take_size(cursor);
		value->bytes = take_bytes(cursor, value->count);
		return;
	case FLEET_TEXTS:
		value->count = take_size(cursor);
		value->bytes = cursor->at;
		for (i = 0; i < value->count && !cursor->short_of; i++)
			take_bytes(cursor, take_size(cursor));
		return;
	case FLEET_INTEGERS:
	case FLEET_NUMBERS:
		value->count = take_size(cursor);
		value->bytes = cursor->at;
		if (value->count > ROW_MAX / 8)
			cursor->short_of = true;
		else
			take_bytes(cursor, value->count * 8);
		return;
	}
}

/* The bytes of the first row; 0: it is not whole. */
static size_t take_row(struct row_binary *rows, const char *bytes, size_t count)
{
	struct row_value values[ROW_BINARY_COLUMNS_MAX];
	struct row_cursor cursor = {.at = bytes, .end = bytes + count};
	size_t i;

	if (take_number(&cursor, 1) != ROW_BINARY_MARK) {
		rows->refused = true;
		return 0;
	}
	memset(values, 0, sizeof(values[0]) * rows->count);
	for (i = 0; i < rows->count && !cursor.short_of; i++)
		take_value(&cursor, rows->types[i], &values[i]);
	if (cursor.short_of)
		return 0;
	rows->take(rows->closure, values);
	return (size_t)(cursor.at - bytes);
}

/* As many as are there; how many bytes these were. */
static size_t take_rows(
	struct row_binary *rows, const char *bytes, size_t count)
{
	size_t done = 0;
	size_t row = 1;

	while (row > 0 && done < count) {
		row = take_row(rows, bytes + done, count - done);
		done += row;
	}
	return done;
}

/* Of what is no row only the beginning is of use: it says what is wrong. */
static bool keep_refusal(
	struct row_binary *rows, const char *bytes, size_t count)
{
	if (rows->rest.length < REFUSAL_MAX)
		render_buffer_put(&rows->rest, bytes, count);
	return !rows->rest.failed;
}

bool row_binary_put(struct row_binary *rows, const char *bytes, size_t count)
{
	struct render_buffer *rest = &rows->rest;
	size_t done;

	if (rows->refused)
		return keep_refusal(rows, bytes, count);
	if (rest->length == 0) {
		done = take_rows(rows, bytes, count);
		render_buffer_put(rest, bytes + done, count - done);
	} else {
		render_buffer_put(rest, bytes, count);
		if (rest->failed)
			return false;
		done = take_rows(rows, rest->data, rest->length);
		rest->length -= done;
		memmove(rest->data, rest->data + done, rest->length);
	}
	return !rest->failed && rest->length < ROW_MAX;
}

struct row_value row_binary_text(const char **array)
{
	struct row_cursor cursor = {.at = *array, .end = *array + ROW_MAX};
	struct row_value text = {0};

	text.count = take_size(&cursor);
	text.bytes = take_bytes(&cursor, text.count);
	*array = cursor.at;
	return text;
}

uint64_t row_binary_item(const struct row_value *array, size_t i)
{
	uint64_t bits;

	memcpy(&bits, array->bytes + 8 * i, sizeof(bits));
	return bits;
}

void row_binary_free(struct row_binary *rows)
{
	render_buffer_free(&rows->rest);
}
