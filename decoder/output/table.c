#include "decoder/output/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/output/text_cut.h"
#include "base/text_width.h"

#define COLUMNS_MAX TABLE_COLUMNS_MAX
#define GAP 2 /* between columns */

/* Of the last column on a terminal, unless it is less by itself. */
#define LAST_LEAST 40

/* Of what is cut where no more can be left out. */
#define CUT_LEAST 16

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

/* Of its first line. */
static size_t width_of(const char *text, size_t bytes)
{
	const char *end = bytes > 0 ? memchr(text, '\n', bytes) : NULL;

	return text_width(text, end ? (size_t)(end - text) : bytes);
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
	size_t room;  /* of a column that is cut; 0: all */
	size_t below; /* of further lines */
};

/* At its end, or, if it is a place, at its beginning. */
static void put_cut(struct render_buffer *out, const char *text, size_t bytes,
	const struct place *place)
{
	const char *end = bytes > 0 ? memchr(text, '\n', bytes) : NULL;
	size_t first = end ? (size_t)(end - text) : bytes;
	size_t from;

	if (!place->last) {
		text_cut_put_end(out, text, bytes, place->room);
		return;
	}
	text_cut_put(out, text, first, place->room);
	from = out->length;
	render_buffer_put(out, text + first, bytes - first);
	text_cut_lines(out, from, place->below);
}

static void put_cell(struct render_buffer *out, const char *text, size_t bytes,
	const struct place *place)
{
	size_t width = width_of(text, bytes);
	size_t padding = place->width > width ? place->width - width : 0;

	if (place->right)
		render_buffer_fill(out, ' ', padding);
	if (place->room > 0)
		put_cut(out, text, bytes, place);
	else
		render_buffer_put(out, text, bytes);
	if (!place->right && !place->last)
		render_buffer_fill(out, ' ', padding);
	render_buffer_put(out, place->last ? "\n" : "  ", place->last ? 1 : 2);
}

struct fit {
	size_t widths[COLUMNS_MAX];
	size_t count;
	bool out[COLUMNS_MAX]; /* left out */
	size_t room;	       /* of the last column; 0: all */
	size_t room_before;    /* of the one before it */
};

/* Columns of the terminal before the last one of the table. */
static size_t width_before(const struct fit *fit)
{
	size_t width = 0;
	size_t i;

	for (i = 0; i + 1 < fit->count; i++)
		width += fit->out[i] ? 0 : fit->widths[i] + GAP;
	return width;
}

/* The column before the last one is where that is: its end says most. */
static void cut_before(struct fit *fit, const struct table *table,
	unsigned width, size_t least)
{
	size_t over = width_before(fit) + least;
	size_t number = fit->count - 2;

	if (fit->count < 2 || over <= width || table->columns[number].right)
		return;
	over -= width;
	if (fit->widths[number] < over + CUT_LEAST)
		return;
	fit->widths[number] -= over;
	fit->room_before = fit->widths[number];
}

static void make_fit(struct fit *fit, const struct table *table, unsigned width,
	const unsigned char *expendable)
{
	size_t last = fit->widths[fit->count - 1];
	size_t worth = table->last_least ? table->last_least : LAST_LEAST;
	size_t least = last < worth ? last : worth;

	if (width == 0)
		return;
	for (; expendable && *expendable < fit->count &&
		width_before(fit) + least > width;
		expendable++)
		fit->out[*expendable] = true;
	cut_before(fit, table, width, least);
	fit->room = width > width_before(fit) ? width - width_before(fit) : 1;
	if (fit->room < CUT_LEAST)
		fit->room = CUT_LEAST;
}

static size_t room_of(const struct fit *fit, size_t number)
{
	if (number + 1 == fit->count)
		return fit->room;
	return number + 2 == fit->count ? fit->room_before : 0;
}

bool table_put_fitting(const struct table *table, struct render_buffer *out,
	unsigned width, const unsigned char *expendable)
{
	struct fit fit = {.count = 0};
	size_t cell;

	fit.count = measure(table, fit.widths);
	make_fit(&fit, table, width, expendable);
	for (cell = 0; cell < fit.count + table->cells; cell++) {
		size_t number = cell % fit.count;
		const struct table_column *column = &table->columns[number];
		const struct place place = {fit.widths[number], column->right,
			number == fit.count - 1, room_of(&fit, number), width};
		size_t start;

		if (fit.out[number])
			continue;
		if (cell < fit.count) {
			put_cell(out, column->name, strlen(column->name),
				&place);
			continue;
		}
		start = start_of(table, cell - fit.count);
		put_cell(out, table->text.data + start,
			table->ends[cell - fit.count] - start, &place);
	}
	return !table->failed && !table->text.failed && !out->failed;
}

size_t table_room_of_last(const struct table *table, unsigned width)
{
	struct fit fit = {.count = 0};

	fit.count = measure(table, fit.widths);
	return width > width_before(&fit) ? width - width_before(&fit) : 0;
}

bool table_put(const struct table *table, struct render_buffer *out)
{
	return table_put_fitting(table, out, 0, NULL);
}

void table_free(struct table *table)
{
	render_buffer_free(&table->text);
	free(table->ends);
}
