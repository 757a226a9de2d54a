/*
 * The units of .debug_info: their headers, what their first entries say, and
 * what the values of attributes mean in them (DWARF 5, sections 7.5.1 and
 * 7.5.5).  Called by debuginfo and by what reads entries.  Promises that a
 * damaged unit costs only what that unit would have told.
 */
#ifndef SYMBOLIZER_DWARFUNIT_H
#define SYMBOLIZER_DWARFUNIT_H

#include "symbolizer/dwarf/dwarfobject.h"
#include "symbolizer/dwarf/rangelist.h"

/* Where the code of an entry is, as attributes say it. */
struct dwarfunit_code {
	struct dwarfvalue ranges;
	struct dwarfvalue low;
	struct dwarfvalue high;
};

struct dwarfunit {
	struct dwarfobject *object;
	/* Whose lines and addresses it refers to: of a split unit another. */
	struct dwarfobject *home;
	uint64_t offset;  /* in the section, as the next two */
	uint64_t entries; /* where the first entry is */
	uint64_t end;
	uint64_t abbreviations_at;
	uint64_t split_id;
	struct dwarfform_encoding encoding;
	uint8_t kind; /* DWARF_UNIT_... */
	bool opened;
	bool sound;	 /* it could be opened */
	bool in_package; /* its id and bases are from the index */
	bool has_lines;

	/* there from dwarfunit_load() on; null: not loaded, or damaged */
	const struct dwarfabbrev_table *abbreviations;

	/* the rest is there from dwarfunit_open() on */
	struct dwarfunit_code code;
	uint64_t str_offsets_base;
	uint64_t address_base;
	uint64_t lists_base;	/* of .debug_rnglists */
	uint64_t ranges_base;	/* of .debug_ranges, for split units only */
	uint64_t low;		/* address that ranges are relative to */
	uint64_t lines;		/* its line table in .debug_line */
	uint64_t language;	/* DW_LANG_..., 0: unknown */
	const char *directory;	/* where the compiler ran; null: unknown */
	const char *split_name; /* of the file with the rest; null: none */
};

/* Fills `object->units`; false when out of memory. */
bool dwarfunit_list(struct dwarfobject *object);

/* Reads the first entry, once; false when it is damaged. */
bool dwarfunit_open(struct dwarfunit *unit);

/* The same, and makes that its entries can be read. */
bool dwarfunit_load(struct dwarfunit *unit);

/* Null when it is no string. */
const char *dwarfunit_string(
	const struct dwarfunit *unit, const struct dwarfvalue *value);

/* False when it is none. */
bool dwarfunit_address(const struct dwarfunit *unit,
	const struct dwarfvalue *value, uint64_t *address);

/* The entry that a value refers to; `*in` is its unit.  Null: none. */
const uint8_t *dwarfunit_reference(struct dwarfunit *unit,
	const struct dwarfvalue *value, struct dwarfunit **in);

/*
 * Calls back for each range of code.  False when the callback wanted no more.
 */
bool dwarfunit_ranges(const struct dwarfunit *unit,
	const struct dwarfunit_code *code, rangelist_take *take, void *closure);

#endif
