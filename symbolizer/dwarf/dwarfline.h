/*
 * The line table of a compilation unit (DWARF 5, section 6.2).  Called by
 * debuginfo for units that are asked about.  Promises to keep only where the
 * program can be entered, not the rows that it makes, and to leave out what is
 * damaged.
 */
#ifndef SYMBOLIZER_DWARFLINE_H
#define SYMBOLIZER_DWARFLINE_H

#include "symbolizer/dwarf/dwarfunit.h"

struct dwarfline_row {
	uint64_t address;
	uint32_t file;
	uint32_t line;
	uint32_t column;
};

struct dwarfline_file {
	const char *name;      /* null: unknown */
	const char *directory; /* null: none or the unit's */
	char *path;	       /* of both; null until asked for */
};

/* A row, and where in the program the next ones are made. */
struct dwarfline_entrance {
	struct dwarfline_row row;
	uint32_t next;
};

/* Rows of a contiguous piece of code, from low to high. */
struct dwarfline_sequence {
	uint64_t low;
	uint64_t high;
	uint32_t first; /* of its entrances */
	uint32_t count;
	bool ordered; /* no row is before the one before it */
};

/* What the program needs to know of its header. */
struct dwarfline_rules {
	unsigned version;
	unsigned step; /* bytes of the shortest instruction */
	int line_base;
	unsigned line_range;
	unsigned line_inverse; /* of its 65,536 parts, rounded up */
	unsigned opcode_base;
	const uint8_t *operands; /* of the standard operations, from 1 on */
};

/* All zeros is empty: nothing is found in it. */
struct dwarfline {
	struct dwarfline_rules rules;
	struct dwarfbytes program;
	const char *root; /* where the compiler ran; null: unknown */
	struct dwarfline_file *files;
	size_t file_count, file_room;
	uint32_t first_file; /* index that the first one of `files` has */
	struct dwarfline_entrance *entrances;
	size_t entrance_count, entrance_room;
	struct dwarfline_sequence *sequences; /* by address */
	size_t sequence_count, sequence_room;
};

/*
 * Reads the table of an open unit; what lies below `floor` is not kept.  False
 * when out of memory.
 */
bool dwarfline_open(
	struct dwarfline *line, const struct dwarfunit *unit, uint64_t floor);
void dwarfline_close(struct dwarfline *line);

/* The row that covers an address; false when there is none. */
bool dwarfline_find(const struct dwarfline *line, uint64_t address,
	struct dwarfline_row *row);

/* The path of a file; null when there is none (or no memory). */
const char *dwarfline_path(struct dwarfline *line, uint32_t file);

#endif
