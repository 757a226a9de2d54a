/*
 * Tables of .debug_abbrev: which attributes the entries of a unit have, and in
 * which forms (DWARF 5, section 7.5.3).  Called when entries of a unit are to
 * be read.  Promises that each table is decoded once, and that damaged ones
 * together take no more memory than sound ones of that size would.
 */
#ifndef SYMBOLIZER_DWARFABBREV_H
#define SYMBOLIZER_DWARFABBREV_H

#include "symbolizer/dwarfform.h"

struct dwarfabbrev_attribute {
	uint16_t name;		/* DWARF_AT_..., 0: none that is read here */
	uint16_t form;
	int32_t constant;	/* of DW_FORM_implicit_const, if it fits */
};

/* One kind of entry. */
struct dwarfabbrev {
	uint32_t code;
	uint32_t first;		/* of `attributes` of the table */
	uint32_t count;
	uint32_t first_step;	/* of `steps` of the table */
	uint32_t step_count;
	uint16_t tag;
	bool children;
};

struct dwarfabbrev_table {
	uint64_t offset;	/* in the section */
	struct dwarfform_encoding encoding;	/* that `steps` were made for */
	struct dwarfabbrev *kinds;		/* by code */
	struct dwarfabbrev_attribute *attributes;
	size_t kind_count, kind_room;
	/* How to get over the attributes, much shorter than their list. */
	uint16_t *steps;
	size_t attribute_count, attribute_room;
	size_t step_count, step_room;
};

/* The tables of one file.  All zeros is empty. */
struct dwarfabbrev_tables {
	struct dwarfabbrev_table **tables;	/* by offset */
	size_t count;
	size_t room;
	uint64_t spent;		/* bytes of the section that were decoded */
};

/* Null when it is damaged or memory is out.  Lives in `tables`. */
const struct dwarfabbrev_table *dwarfabbrev_table(
	struct dwarfabbrev_tables *tables, const struct dwarfbytes *section,
	uint64_t offset, const struct dwarfform_encoding *encoding);
void dwarfabbrev_free(struct dwarfabbrev_tables *tables);

/*
 * A table of one kind alone, that of `code`, when the table at `offset` begins
 * with it, as with that of the first entry of a unit; else null.  The caller
 * frees it.
 */
struct dwarfabbrev_table *dwarfabbrev_first(const struct dwarfbytes *section,
	uint64_t offset, uint64_t code,
	const struct dwarfform_encoding *encoding);
void dwarfabbrev_free_table(struct dwarfabbrev_table *table);

/* Null when there is none with that code. */
const struct dwarfabbrev *dwarfabbrev_find(
	const struct dwarfabbrev_table *table, uint64_t code);

/* Moves the cursor behind the attributes of an entry. */
void dwarfabbrev_skip(const struct dwarfabbrev_table *table,
	const struct dwarfabbrev *kind, struct dwarfcursor *cursor);

#endif
