/*
 * The sections with debug information of one file, and the list of its units.
 * Called by debuginfo for the file that is asked about, for the one that dwz
 * moved what is common to, and for those of split units.  Promises that what
 * is not compressed takes memory only where it is read: it is mapped.
 */
#ifndef SYMBOLIZER_DWARFOBJECT_H
#define SYMBOLIZER_DWARFOBJECT_H

#include "symbolizer/dwarf/dwarfabbrev.h"
#include "symbolizer/elf/elffile.h"

enum dwarfobject_section {
	DWARFOBJECT_INFO,
	DWARFOBJECT_ABBREV,
	DWARFOBJECT_STR,
	DWARFOBJECT_STR_OFFSETS,
	DWARFOBJECT_RNGLISTS,
	DWARFOBJECT_LINE,
	DWARFOBJECT_LINE_STR,
	DWARFOBJECT_ADDR,
	DWARFOBJECT_RANGES,
	DWARFOBJECT_CU_INDEX,
	DWARFOBJECT_SECTIONS
};

/* In which file the section of a name is. */
enum dwarfobject_kind {
	DWARFOBJECT_WHOLE, /* .debug_info */
	DWARFOBJECT_SPLIT, /* .debug_info.dwo */
};

struct dwarfunit;

struct dwarfobject {
	struct dwarfbytes sections[DWARFOBJECT_SECTIONS];
	struct {
		void *start;  /* null: nothing to give back */
		size_t bytes; /* of a mapping; 0: from malloc() */
	} storage[DWARFOBJECT_SECTIONS];
	struct dwarfabbrev_tables abbreviations;
	struct dwarfunit *units; /* by offset; made by dwarfunit_list() */
	size_t unit_count, unit_room;
	struct dwarfobject *supplement;	      /* of dwz; null: none */
	uint64_t spent[DWARFOBJECT_SECTIONS]; /* bytes that units have read */
	char *path;			      /* of its file; null: no memory */
	uint32_t met; /* a bit for each readlimit that it has met */
};

/*
 * Null when there is no DWARF (`*why` is null) or it cannot be used (`*why`
 * says why, a constant string).  `file` is not needed after that.
 */
struct dwarfobject *dwarfobject_open(
	struct elffile *file, enum dwarfobject_kind kind, const char **why);

/*
 * Units may share a table, but tables that all of them share are there to cost
 * more than the file holds: after `bytes` more of a section it may be that
 * nothing else is to be read from it, as dwarfobject_exhausted() says.
 */
void dwarfobject_spend(struct dwarfobject *object,
	enum dwarfobject_section section, uint64_t bytes);
bool dwarfobject_exhausted(
	struct dwarfobject *object, enum dwarfobject_section section);

/* Something in it is not read for this limit, which is told once. */
void dwarfobject_note(struct dwarfobject *object, enum readlimit limit);

/* The supplement, too. */
void dwarfobject_close(struct dwarfobject *object);

#endif
