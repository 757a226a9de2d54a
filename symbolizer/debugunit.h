/*
 * The functions and the lines of one compilation unit, ready to be searched
 * by address.  Filled by dwarfread, which reads them from a file, and asked by
 * debuginfo.  Promises the answers that binutils gives, also where ranges
 * overlap or rows are out of order, in logarithmic time.
 */
#ifndef SYMBOLIZER_DEBUGUNIT_H
#define SYMBOLIZER_DEBUGUNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEBUGUNIT_NONE UINT32_MAX

/* The names of functions and files lie in the sections of the file. */
struct debugunit_function {
	const char *name;	/* null: it has none */
	uint64_t low;		/* start of the first range; 0: no range */
	uint32_t caller;	/* of an inlined one: index of the function */
				/* that it was inlined into */
	uint32_t call_file;
	uint32_t call_line;
	uint32_t call_column;
	bool linkage;		/* `name` is the name for the linker */
	bool inlined;
};

struct debugunit_file {
	const char *name;
	const char *directory;	/* null: none or the unit's */
	char *path;		/* of both; null until asked for */
};

/* Addresses from low to high that belong to a function. */
struct debugunit_piece {
	uint64_t low;
	uint64_t high;
	uint32_t function;
};

/* From `low` to the next span: the innermost function, or DEBUGUNIT_NONE. */
struct debugunit_span {
	uint64_t low;
	uint32_t function;
};

struct debugunit_row {
	uint64_t address;
	uint32_t order;
	uint32_t file;
	uint32_t line;
	uint32_t column;
};

/* Rows of a contiguous piece of code, from low to high. */
struct debugunit_sequence {
	uint64_t low;
	uint64_t high;
	size_t first;
	size_t count;
};

/* All zeros is an empty unit. */
struct debugunit {
	const char *directory;	/* where the compiler ran, null: unknown */
	uint64_t floor;		/* what lies below is no code and not kept */
	struct debugunit_function *functions;
	struct debugunit_piece *pieces;
	struct debugunit_span *spans;
	struct debugunit_file *files;
	struct debugunit_row *rows;
	struct debugunit_sequence *sequences;
	size_t function_count, function_room;
	size_t piece_count, piece_room;
	size_t span_count, span_room;
	size_t file_count, file_room;
	size_t row_count, row_room;
	size_t sequence_count, sequence_room;
	uint32_t first_file;	/* index that the first one of `files` has */
	size_t open_pieces;	/* where the last function's pieces begin */
	size_t open_rows;	/* where the sequence being read begins */
};

/* Filling; each returns false (or DEBUGUNIT_NONE) when out of memory. */
uint32_t debugunit_add_function(
	struct debugunit *unit, const struct debugunit_function *function);
/* To the function added last. */
bool debugunit_add_piece(struct debugunit *unit, uint64_t low, uint64_t high);
bool debugunit_add_file(
	struct debugunit *unit, const char *name, const char *directory);
bool debugunit_add_row(
	struct debugunit *unit, const struct debugunit_row *row);
bool debugunit_end_sequence(struct debugunit *unit, uint64_t high);
/* After the last of all the above, before the first of all the below. */
bool debugunit_finish(struct debugunit *unit);

void debugunit_free(struct debugunit *unit);

/* Index of the innermost function at an address, or DEBUGUNIT_NONE. */
uint32_t debugunit_function_at(const struct debugunit *unit, uint64_t address);

/* The row that covers an address, or null. */
const struct debugunit_row *debugunit_row_at(
	const struct debugunit *unit, uint64_t address);

/* The path of a file; null when there is none (or no memory). */
const char *debugunit_path(struct debugunit *unit, uint32_t file);

#endif
