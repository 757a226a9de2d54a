#include "symbolizer/dwarf/line_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Rows between two entrances: that many are read again for each question. */
#define ROWS_BETWEEN 64
/* Numbers of files that no sound table has. */
#define FILE_MAX 0xfffff

/* A row of the sequence that is being read. */
struct row {
	struct dwarf_row row;
	size_t number; /* it was that many rows behind the first one */
};

struct reading {
	struct line_table *table;
	uint64_t floor;
	struct row *rows;
	size_t count, room;
	bool unordered;
};

static bool take_file(
	void *closure, uint32_t number, const char *name, const char *directory)
{
	struct reading *reading = closure;
	struct line_table *table = reading->table;

	if (number > FILE_MAX)
		return true;
	if (!array_reserve(table->files, table->file_room, number + 1u))
		return false;
	while (table->file_count <= number)
		table->files[table->file_count++] = (struct line_table_file){0};
	table->files[number].name = name;
	table->files[number].directory = directory;
	return true;
}

/* ---- rows as bytes: what is different from the row before ---- */

enum { OTHER_FILE = 1, OTHER_COLUMN = 2, DIFFERENCES = 2 /* bits */ };

/* Bytes of a number, at most. */
#define NUMBER_BYTES 10

static uint8_t *put_number(uint8_t *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*to++ = (uint8_t)(number | 0x80);
	*to++ = (uint8_t)number;
	return to;
}

static bool put_row(struct line_table *table, const struct dwarf_row *row,
	const struct dwarf_row *before)
{
	const bool file = row->file != before->file;
	const bool column = row->column != before->column;
	const int64_t lines = (int64_t)row->line - before->line;
	const uint64_t folded =
		lines < 0 ? (uint64_t)-lines * 2 - 1 : (uint64_t)lines * 2;
	uint8_t *to;

	if (!array_reserve(table->rows, table->row_room,
		    table->row_bytes + 4 * NUMBER_BYTES))
		return false;
	to = put_number(
		table->rows + table->row_bytes, row->address - before->address);
	to = put_number(to, folded << DIFFERENCES | (file ? OTHER_FILE : 0) |
				    (column ? OTHER_COLUMN : 0));
	if (file)
		to = put_number(to, row->file);
	if (column)
		to = put_number(to, row->column);
	table->row_bytes = (size_t)(to - table->rows);
	return true;
}

/* Changes the row before to this one. */
static void get_row(struct dwarf_cursor *cursor, struct dwarf_row *row)
{
	uint64_t folded, number;

	row->address += dwarf_cursor_uleb(cursor);
	number = dwarf_cursor_uleb(cursor);
	folded = number >> DIFFERENCES;
	row->line += folded & 1 ? -(uint32_t)((folded + 1) / 2)
				: (uint32_t)(folded / 2);
	if (number & OTHER_FILE)
		row->file = (uint32_t)dwarf_cursor_uleb(cursor);
	if (number & OTHER_COLUMN)
		row->column = (uint32_t)dwarf_cursor_uleb(cursor);
}

/* ---- reading ---- */

static bool says_the_same(const struct dwarf_row *a, const struct dwarf_row *b)
{
	return a->line == b->line && a->column == b->column &&
	       a->file == b->file;
}

/* Those of one address stay in their order: the last one holds. */
static int compare_rows(const void *left, const void *right)
{
	const struct row *a = left;
	const struct row *b = right;

	if (a->row.address != b->row.address)
		return a->row.address < b->row.address ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static bool put_rows(struct reading *reading, struct line_table_sequence *into)
{
	struct line_table *table = reading->table;
	struct dwarf_row before = {0};
	size_t kept = 0, i;

	into->first = (uint32_t)table->entrance_count;
	for (i = 0; i < reading->count; i++) {
		const struct dwarf_row *row = &reading->rows[i].row;

		/* of several rows with one address the last one holds */
		if ((i + 1 < reading->count &&
			    row[0].address ==
				    reading->rows[i + 1].row.address) ||
			(kept > 0 && says_the_same(row, &before)))
			continue;
		if (kept++ % ROWS_BETWEEN == 0) {
			before = (struct dwarf_row){0};
			if (!array_reserve(table->entrances,
				    table->entrance_room,
				    table->entrance_count + 1))
				return false;
			table->entrances[table->entrance_count++] =
				(struct line_table_entrance){
					row->address, table->row_bytes};
		}
		if (!put_row(table, row, &before))
			return false;
		before = *row;
	}
	into->count = (uint32_t)table->entrance_count - into->first;
	into->end = table->row_bytes;
	return true;
}

/* `high` is the address behind the last row. */
static bool end_sequence(struct reading *reading, uint64_t high)
{
	struct line_table *table = reading->table;
	struct line_table_sequence sequence = {.high = high};
	const size_t count = reading->count;

	reading->count = 0;
	if (count == 0)
		return true;
	if (reading->unordered)
		qsort(reading->rows, count, sizeof(*reading->rows),
			compare_rows);
	sequence.low = reading->rows[0].row.address;
	if (sequence.low < reading->floor || high <= sequence.low)
		return true;
	if (!array_reserve(table->sequences, table->sequence_room,
		    table->sequence_count + 1))
		return false;
	reading->count = count;
	if (!put_rows(reading, &sequence))
		return false;
	reading->count = 0;
	table->sequences[table->sequence_count++] = sequence;
	return true;
}

static bool take_row(void *closure, const struct dwarf_row *row)
{
	struct reading *reading = closure;
	struct row *rows = reading->rows;
	const size_t count = reading->count;

	if (row->ends)
		return end_sequence(reading, row->address);
	if (count == 0)
		reading->unordered = false;
	else if (row->address < rows[count - 1].row.address)
		reading->unordered = true;
	else if (row->address == rows[count - 1].row.address) {
		rows[count - 1].row = *row;
		return true;
	}
	if (!array_reserve(reading->rows, reading->room, count + 1))
		return false;
	reading->rows[reading->count++] = (struct row){*row, count};
	return true;
}

static int compare_sequences(const void *left, const void *right)
{
	const struct line_table_sequence *a = left;
	const struct line_table_sequence *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* Sorts, drops what lies inside another one and cuts what overlaps. */
static void order_sequences(struct line_table *table)
{
	struct line_table_sequence *s = table->sequences;
	uint64_t covered = 0;
	size_t kept = 0;
	size_t i;

	if (table->sequence_count == 0)
		return;
	qsort(s, table->sequence_count, sizeof(*s), compare_sequences);
	for (i = 0; i < table->sequence_count; i++) {
		if (s[i].high <= covered)
			continue;
		s[kept] = s[i];
		if (s[kept].low < covered)
			s[kept].low = covered;
		covered = s[kept++].high;
	}
	table->sequence_count = kept;
}

/* What was reserved in advance is given back. */
static void trim(struct line_table *table)
{
	uint8_t *rows = NULL;

	if (table->row_bytes > 0)
		rows = realloc(table->rows, table->row_bytes);
	if (rows) {
		table->rows = rows;
		table->row_room = table->row_bytes;
	}
}

bool line_table_open(
	struct line_table *table, struct dwarf_unit *unit, uint64_t floor)
{
	struct reading reading = {.table = table, .floor = floor};
	const struct dwarf_rows_take take = {take_file, take_row, &reading};

	bool fine;

	table->root = unit->directory;
	/* rows without an end cover nothing */
	fine = dwarf_unit_rows(unit, &take);
	free(reading.rows);
	order_sequences(table);
	trim(table);
	return fine;
}

void line_table_close(struct line_table *table)
{
	size_t i;

	for (i = 0; i < table->file_count; i++)
		free(table->files[i].path);
	free(table->files);
	free(table->rows);
	free(table->entrances);
	free(table->sequences);
	memset(table, 0, sizeof(*table));
}

static const struct line_table_sequence *sequence_at(
	const struct line_table *table, uint64_t address)
{
	size_t low = 0;
	size_t high = table->sequence_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct line_table_sequence *s = &table->sequences[middle];

		if (address < s->low)
			high = middle;
		else if (address >= s->high)
			low = middle + 1;
		else
			return s;
	}
	return NULL;
}

/* The last entrance that is not behind the address; null: there is none. */
static const struct line_table_entrance *entrance_for(
	const struct line_table *table,
	const struct line_table_sequence *sequence, uint64_t address)
{
	const struct line_table_entrance *first =
		table->entrances + sequence->first;
	size_t low = 0;
	size_t high = sequence->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (first[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? NULL : first + low - 1;
}

bool line_table_find(
	const struct line_table *table, uint64_t address, struct dwarf_row *row)
{
	const struct line_table_sequence *sequence =
		sequence_at(table, address);
	const struct line_table_entrance *entrance =
		sequence ? entrance_for(table, sequence, address) : NULL;
	struct dwarf_row next = {0};
	struct dwarf_cursor cursor;
	unsigned i;

	if (!entrance)
		return false;
	cursor = (struct dwarf_cursor){.at = table->rows + entrance->at,
		.end = table->rows + sequence->end};
	for (i = 0; i < ROWS_BETWEEN && cursor.at < cursor.end; i++) {
		get_row(&cursor, &next);
		if (next.address > address)
			break;
		*row = next;
	}
	return true;
}

static char *join(const char *root, const char *directory, const char *name)
{
	char *path;
	int written;

	if (name[0] == '/')
		return strdup(name);
	if (!root || (directory && directory[0] == '/')) {
		root = directory;
		directory = NULL;
	}
	if (!root)
		return strdup(name);
	if (directory)
		written = asprintf(&path, "%s/%s/%s", root, directory, name);
	else
		written = asprintf(&path, "%s/%s", root, name);
	return written < 0 ? NULL : path;
}

const char *line_table_path(struct line_table *table, uint32_t file)
{
	struct line_table_file *f;

	if (file >= table->file_count)
		return NULL;
	f = &table->files[file];
	if (!f->path && f->name)
		f->path = join(table->root, f->directory, f->name);
	return f->path;
}
