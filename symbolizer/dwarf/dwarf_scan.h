/*
 * One flat pass over the entries of a unit: where each of them is, and of which
 * kind, without a look at what it says.  Used by dwarf_reader.c, which leaves
 * the reading of what is found to libdwarf: that goes from entry to entry by
 * allocating each, which takes three times as long for a large program.
 * Promises to end and to stay inside of the unit, whatever its bytes are, and
 * that tables of abbreviations which are damaged take no more memory than sound
 * ones of that size would.
 */
#ifndef SYMBOLIZER_DWARF_SCAN_H
#define SYMBOLIZER_DWARF_SCAN_H

#include "symbolizer/dwarf/dwarf_cursor.h"

/* What the size of a form depends on; addresses have 8 bytes. */
struct dwarf_encoding {
	unsigned version;      /* of DWARF */
	unsigned offset_bytes; /* 4 or 8 */
};

/* One kind of entry: an abbreviation (DWARF 5, section 7.5.3). */
struct dwarf_scan_kind {
	uint32_t code;
	uint32_t first_step; /* of `steps` of the table */
	uint32_t step_count;
	uint16_t bytes;	  /* of all attributes, if it is always the same */
	uint16_t sibling; /* bytes before that attribute, if it is a */
			  /* DW_FORM_ref4 behind others of known sizes */
	uint16_t tag;
	bool children;
	/* attributes that it has */
	bool has_low, has_ranges, is_declaration;
	uint64_t names; /* dwarf_scan_bit() of each of them */
};

/* What tells most attributes that a kind does not have from those it has. */
static inline uint64_t dwarf_scan_bit(uint64_t name)
{
	return (uint64_t)1 << name % 64;
}

struct dwarf_scan_table {
	uint64_t offset; /* in .debug_abbrev */
	uint64_t bytes;	 /* that it takes there */
	struct dwarf_encoding encoding;
	struct dwarf_scan_kind *kinds; /* by code */
	size_t kind_count, kind_room;
	uint16_t *steps; /* over attributes */
	size_t step_count, step_room;
	bool unknown; /* it has a form that is not known: nothing is found */
};

/* Those of one file.  All zeros is empty. */
struct dwarf_scan_tables {
	struct dwarf_scan_table **tables; /* by offset */
	size_t count, room;
	uint64_t spent; /* bytes of the section that were decoded */
	bool exhausted; /* that was too often */
};

/* Null when it is damaged or memory is out.  Lives in `tables`. */
const struct dwarf_scan_table *dwarf_scan_table(
	struct dwarf_scan_tables *tables, const struct dwarf_bytes *section,
	uint64_t offset, struct dwarf_encoding encoding);
void dwarf_scan_free(struct dwarf_scan_tables *tables);

/* Over an entry and all that is below it, in the order of the file. */
struct dwarf_scan {
	const struct dwarf_scan_table *table;
	struct dwarf_cursor cursor;
	const uint8_t *unit; /* where it begins */
	const uint8_t *at;   /* the present entry */
	const uint8_t *attributes;
	const struct dwarf_scan_kind *kind;
	unsigned depth; /* of it; the first one has 0 */
	unsigned next_depth;
	bool ended;
};

/* `unit` is the whole of it, with its header; `at` an entry in it. */
void dwarf_scan_start(struct dwarf_scan *scan,
	const struct dwarf_scan_table *table, struct dwarf_bytes unit,
	const uint8_t *at);

/* Goes on to the next entry; false when there is none. */
bool dwarf_scan_next(struct dwarf_scan *scan);

/* Goes on behind what is below the present entry, when that is known. */
void dwarf_scan_skip_children(struct dwarf_scan *scan);

/* Of which kind the entry at the cursor is; null: there is none. */
const struct dwarf_scan_kind *dwarf_scan_kind_at(
	const struct dwarf_scan_table *table, struct dwarf_cursor cursor);

#endif
