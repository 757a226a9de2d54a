/*
 * The lines of a compilation unit, searched by address.  Called by debuginfo
 * for units that are asked about.  Promises to keep four bytes for a row or so,
 * and to leave out what is damaged.
 */
#ifndef SYMBOLIZER_LINE_TABLE_H
#define SYMBOLIZER_LINE_TABLE_H

#include "symbolizer/dwarf/dwarf_reader.h"

struct line_table_file {
	const char *name;      /* null: unknown */
	const char *directory; /* null: none or the unit's */
	char *path;	       /* of both; null until asked for */
};

/* Where rows can be read from, without those before. */
struct line_table_entrance {
	uint64_t address; /* of the row */
	size_t at;	  /* in `rows` */
};

/* Rows of a contiguous piece of code. */
struct line_table_sequence {
	uint64_t low;
	uint64_t high;
	size_t end;	/* of its rows */
	uint32_t first; /* of its entrances, which are by address */
	uint32_t count;
};

/* All zeros is empty: nothing is found in it. */
struct line_table {
	const char *root; /* where the compiler ran; null: unknown */
	struct line_table_file *files; /* by number */
	size_t file_count, file_room;
	uint8_t *rows;
	size_t row_bytes, row_room;
	struct line_table_entrance *entrances;
	size_t entrance_count, entrance_room;
	struct line_table_sequence *sequences; /* by address */
	size_t sequence_count, sequence_room;
};

/* Reads that of a unit; what lies below `floor` is not kept.  False when out of
 * memory. */
bool line_table_open(
	struct line_table *table, struct dwarf_unit *unit, uint64_t floor);
void line_table_close(struct line_table *table);

/* The row that covers an address; false when there is none. */
bool line_table_find(const struct line_table *table, uint64_t address,
	struct dwarf_row *row);

/* The path of a file; null when there is none (or no memory). */
const char *line_table_path(struct line_table *table, uint32_t file);

#endif
