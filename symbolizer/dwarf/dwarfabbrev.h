/*
 * Tables of .debug_abbrev: which attributes the entries of a unit have, and in
 * which forms (DWARF 5, section 7.5.3).  Called when entries of a unit are to
 * be read.  Promises that each table is decoded once, and that damaged ones
 * together take no more memory than sound ones of that size would.
 */
#ifndef SYMBOLIZER_DWARFABBREV_H
#define SYMBOLIZER_DWARFABBREV_H

#include "symbolizer/dwarf/dwarfform.h"

/* Something before it is of another size in each entry. */
#define DWARFABBREV_VARIES UINT16_MAX

struct dwarfabbrev_attribute {
	uint16_t name; /* DWARF_AT_..., 0: none that is read here */
	uint16_t form;
	int32_t constant; /* of DW_FORM_implicit_const, if it fits */
	uint16_t before;  /* bytes, or DWARFABBREV_VARIES */
};

/* One kind of entry. */
struct dwarfabbrev {
	uint32_t code;
	uint32_t first; /* of `attributes` of the table */
	uint32_t count;
	uint32_t first_step; /* of `steps` of the table */
	uint32_t step_count;
	uint16_t bytes;	  /* of all attributes, or DWARFABBREV_VARIES */
	uint16_t sibling; /* `before` of that attribute, if it is a */
			  /* DW_FORM_ref4; else DWARFABBREV_VARIES */
	uint16_t tag;
	bool children;
	bool has_code;	/* it says where its code is */
	uint64_t names; /* dwarfabbrev_bit() of each attribute */
};

struct dwarfabbrev_table {
	uint64_t offset;		    /* in the section */
	struct dwarfform_encoding encoding; /* that `steps` were made for */
	struct dwarfabbrev *kinds;	    /* by code */
	struct dwarfabbrev_attribute *attributes;
	size_t kind_count, kind_room;
	/* How to get over the attributes, much shorter than their list. */
	uint16_t *steps;
	size_t attribute_count, attribute_room;
	size_t step_count, step_room;
};

/* The tables of one file.  All zeros is empty. */
struct dwarfabbrev_tables {
	struct dwarfabbrev_table **tables; /* by offset */
	size_t count;
	size_t room;
	uint64_t spent; /* bytes of the section that were decoded */
	bool exhausted; /* that was too often */
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

/* dwarfabbrev_find() where codes are not counted from 1. */
const struct dwarfabbrev *dwarfabbrev_search(
	const struct dwarfabbrev_table *table, uint64_t code);

/* Null when there is none with that code. */
static inline const struct dwarfabbrev *dwarfabbrev_find(
	const struct dwarfabbrev_table *table, uint64_t code)
{
	if (code - 1 < table->kind_count && table->kinds[code - 1].code == code)
		return &table->kinds[code - 1];
	return dwarfabbrev_search(table, code);
}

/* What tells most attributes that a kind does not have from those it has. */
static inline uint64_t dwarfabbrev_bit(uint16_t name)
{
	return (uint64_t)1 << name % 64;
}

/* Null when entries of this kind have no such attribute. */
static inline const struct dwarfabbrev_attribute *dwarfabbrev_attribute(
	const struct dwarfabbrev_table *table, const struct dwarfabbrev *kind,
	uint16_t name)
{
	const struct dwarfabbrev_attribute *attribute =
		table->attributes + kind->first;
	const struct dwarfabbrev_attribute *end = attribute + kind->count;

	if (!(kind->names & dwarfabbrev_bit(name)))
		return NULL;
	for (; attribute < end; attribute++)
		if (attribute->name == name)
			return attribute;
	return NULL;
}

/* dwarfabbrev_skip() where the attributes are not of one size. */
void dwarfabbrev_step(const struct dwarfabbrev_table *table,
	const struct dwarfabbrev *kind, struct dwarfcursor *cursor);

/* Moves the cursor behind the attributes of an entry. */
static inline void dwarfabbrev_skip(const struct dwarfabbrev_table *table,
	const struct dwarfabbrev *kind, struct dwarfcursor *cursor)
{
	if (kind->bytes != DWARFABBREV_VARIES)
		dwarfcursor_skip(cursor, kind->bytes);
	else
		dwarfabbrev_step(table, kind, cursor);
}

#endif
