#include "decoder/output/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS_MAX 16

void table_end_cell(struct table *table)
{
	size_t room = table->room ? table->room * 2 : 64;
	size_t *ends = table->ends;

	if (table->cells == table->room) {
		ends = realloc(ends, room * sizeof(*ends));
		if (!ends) {
			table->failed = true;
			return;
		}
		table->ends = ends;
		table->room = room;
	}
	ends[table->cells++] = table->text.length;
}

void table_text_cell(struct table *table, const char *text)
{
	render_buffer_put(&table->text, text, strlen(text));
	table_end_cell(table);
}

void table_number_cell(struct table *table, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	table_text_cell(table, text);
}

static size_t start_of(const struct table *table, size_t cell)
{
	return cell > 0 ? table->ends[cell - 1] : 0;
}

/* Characters, not bytes: those that go on with another do not count. */
static size_t width_of(const char *text, size_t bytes)
{
	size_t width = 0;

	for (; bytes > 0; bytes--, text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static size_t measure(const struct table *table, size_t widths[COLUMNS_MAX])
{
	size_t count = 0;
	size_t cell;

	do {
		widths[count] = strlen(table->columns[count].name);
		count++;
	} while (count < COLUMNS_MAX && table->columns[count].name);
	for (cell = 0; cell < table->cells; cell++) {
		size_t start = start_of(table, cell);
		size_t width = width_of(
			table->text.data + start, table->ends[cell] - start);

		if (width > widths[cell % count])
			widths[cell % count] = width;
	}
	return count;
}

struct place {
	size_t width;
	bool right;
	bool last;
};

static void put_cell(struct render_buffer *out, const char *text, size_t bytes,
	const struct place *place)
{
	size_t padding = place->width - width_of(text, bytes);

	if (place->right)
		render_buffer_fill(out, ' ', padding);
	render_buffer_put(out, text, bytes);
	if (!place->right && !place->last)
		render_buffer_fill(out, ' ', padding);
	render_buffer_put(out, place->last ? "\n" : "  ", place->last ? 1 : 2);
}

bool table_put(const struct table *table, struct render_buffer *out)
{
	size_t widths[COLUMNS_MAX];
	size_t count = measure(table, widths);
	size_t cell;

	for (cell = 0; cell < count + table->cells; cell++) {
		const struct table_column *column =
			&table->columns[cell % count];
		const struct place place = {widths[cell % count], column->right,
			cell % count == count - 1};
		size_t start;

		if (cell < count) {
			put_cell(out, column->name, strlen(column->name),
				&place);
			continue;
		}
		start = start_of(table, cell - count);
		put_cell(out, table->text.data + start,
			table->ends[cell - count] - start, &place);
	}
	return !table->failed && !table->text.failed && !out->failed;
}

void table_free(struct table *table)
{
	render_buffer_free(&table->text);
	free(table->ends);
}
