/*
 * The range lists of DWARF: the pieces of code that one entry covers.  Called
 * by dwarf_unit.  Promises to touch no byte outside of the sections and to end.
 */
#ifndef SYMBOLIZER_RANGELIST_H
#define SYMBOLIZER_RANGELIST_H

#include "symbolizer/dwarf/dwarf_cursor.h"

struct rangelist_sections {
	struct dwarf_bytes ranges;    /* .debug_ranges */
	struct dwarf_bytes lists;     /* .debug_rnglists */
	struct dwarf_bytes addresses; /* .debug_addr */
};

/* What the lists of a unit depend on. */
struct rangelist_unit {
	uint64_t base;	       /* address that offsets are relative to */
	uint64_t lists_base;   /* of its part of .debug_rnglists */
	uint64_t address_base; /* of its part of .debug_addr */
	unsigned version;      /* of DWARF */
	unsigned offset_bytes; /* 4 or 8 */
};

/* Where a list is. */
struct rangelist_place {
	uint64_t value; /* offset in the section, or an index */
	bool is_index;	/* DW_FORM_rnglistx */
	uint64_t bytes; /* that the list took, when it has been read */
};

typedef bool rangelist_take(void *closure, uint64_t low, uint64_t high);

/*
 * Calls back for each range.  Damage ends the list.  False when the callback
 * wanted no more.
 */
bool rangelist_each(const struct rangelist_sections *sections,
	const struct rangelist_unit *unit, struct rangelist_place *place,
	rangelist_take *take, void *closure);

#endif
