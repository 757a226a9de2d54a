/*
 * The entries of the DWARF (2 to 5) of one ELF file, by libdwarf.  Called by
 * debuginfo, which makes searchable units of what it reads here.  Promises that libdwarf is given nothing but whole sections
 * in memory, and that a damaged unit costs only what that unit would have
 * told.
 */
#ifndef SYMBOLIZER_DWARFREAD_H
#define SYMBOLIZER_DWARFREAD_H

#include "symbolizer/elffile.h"
#include "symbolizer/rangelist.h"

struct dwarfread;

/* An entry; what it does not say is zero.  Strings live in the reader. */
struct dwarfread_entry {
	uint64_t offset;	/* in .debug_info */
	uint64_t enclosing;	/* offset of the function that it is in */
	uint64_t origin;	/* offset of the entry that it refers to */
	const char *name;
	const char *linkage_name;
	const char *directory;
	uint64_t language;	/* DW_LANG_... */
	uint64_t low;
	uint64_t high;
	uint32_t call_file;
	uint32_t call_line;
	uint32_t call_column;
	uint64_t lists_base;	/* of a unit, like the next three */
	uint64_t address_base;
	unsigned version;
	unsigned offset_bytes;
	struct rangelist_place ranges;
	bool has_ranges;
	bool has_low;
	bool high_is_length;
	bool inlined;
};

/* Return false to stop. */
typedef bool dwarfread_visit(
	void *closure, const struct dwarfread_entry *entry, unsigned depth);

/*
 * Reads the sections of `file`, which is not needed after that.  Returns null
 * when there is no DWARF (`*why` is null) or it cannot be used (`*why` says
 * why, a constant string).
 */
struct dwarfread *dwarfread_open(struct elffile *file, const char **why);
void dwarfread_close(struct dwarfread *reader);

/* Visits every compilation unit; once for each reader. */
void dwarfread_units(
	struct dwarfread *reader, dwarfread_visit *visit, void *closure);

/*
 * Visits every function and inlined call of a unit, outer ones first, with
 * the depth of nesting.  False when the visitor stopped it.
 */
bool dwarfread_functions(struct dwarfread *reader, uint64_t unit,
	dwarfread_visit *visit, void *closure);

/*
 * Calls back for the ranges of an entry of `unit`.  False when the callback
 * stopped it.
 */
bool dwarfread_ranges(const struct dwarfread *reader,
	const struct dwarfread_entry *entry, const struct rangelist_unit *unit,
	rangelist_take *take, void *closure);

/* Reads one entry; false when there is none. */
bool dwarfread_at(struct dwarfread *reader, uint64_t offset,
	struct dwarfread_entry *entry);

#endif
