/*
 * Debug information of one file, read by libdwarf: units, entries with their
 * attributes, rows of line tables.  Called by all that looks for functions,
 * names, lines and call sites; nothing of libdwarf is seen beyond.  Promises
 * that what is not compressed takes memory only where it is read (sections are
 * mapped), that a damaged unit costs only what that unit would have told, and
 * that no reading of damaged bytes goes on for ever.  One thread at a time.
 */
#ifndef SYMBOLIZER_DWARF_READER_H
#define SYMBOLIZER_DWARF_READER_H

#include <dwarf.h>

#include "base/readlimits.h"
#include "symbolizer/dwarf/dwarf_scan.h"
#include "symbolizer/dwarf/rangelist.h"
#include "symbolizer/elf/elffile.h"

enum dwarf_section {
	DWARF_INFO,
	DWARF_ABBREV,
	DWARF_STR,
	DWARF_STR_OFFSETS,
	DWARF_LINE,
	DWARF_LINE_STR,
	DWARF_CU_INDEX,
	DWARF_TU_INDEX,
	DWARF_ADDR,
	DWARF_READ_BY_LIBRARY, /* those before this one */
	DWARF_RNGLISTS = DWARF_READ_BY_LIBRARY,
	DWARF_RANGES,
	DWARF_SECTIONS
};

/* In which file the section of a name is. */
enum dwarf_reader_kind {
	DWARF_READER_WHOLE, /* .debug_info */
	DWARF_READER_SPLIT, /* .debug_info.dwo */
};

/* An attribute's address: as it stands there, or one of .debug_addr. */
struct dwarf_address {
	enum { DWARF_ADDRESS_NONE, DWARF_ADDRESS, DWARF_ADDRESS_INDEX } kind;
	uint64_t value;
};

/* Where the code of an entry is, as its attributes say it. */
struct dwarf_code {
	bool has_ranges;
	bool ranges_by_index; /* of a table of offsets */
	uint64_t ranges;
	struct dwarf_address low;
	struct dwarf_address high; /* kind NONE: it is `length` bytes */
	uint64_t length;
};

struct dwarf_slice; /* units that one instance of libdwarf reads */
struct dwarf_reader;

struct dwarf_unit {
	struct dwarf_reader *reader;
	/* Whose lines and addresses it refers to: of a split unit another. */
	struct dwarf_reader *home;
	struct dwarf_slice *slice;
	uint64_t offset;  /* in the section, as the next two */
	uint64_t entries; /* where the first entry is */
	uint64_t end;
	uint64_t abbreviations_at;
	uint64_t split_id;
	struct dwarf_encoding encoding;
	bool partial; /* dwz made it of what others have in common */
	struct dwarf_code code;
	uint64_t address_base;
	uint64_t lists_base;  /* of .debug_rnglists */
	uint64_t ranges_base; /* of .debug_ranges, for split units only */
	uint64_t low;	      /* address that ranges are relative to */
	uint64_t lines;	   /* its line table in .debug_line; UINT64_MAX: none */
	uint64_t language; /* DW_LANG_..., 0: unknown */
	const char *directory;	/* where the compiler ran; null: unknown */
	const char *split_name; /* of the file with the rest; null: none */
	/* there from dwarf_unit_load() on; null: not loaded, or not to be read
	 */
	const struct dwarf_scan_table *abbreviations;
};

struct dwarf_reader {
	struct dwarf_bytes sections[DWARF_SECTIONS];
	struct {
		void *start;  /* null: nothing to give back */
		size_t bytes; /* of a mapping; 0: from malloc() */
	} storage[DWARF_SECTIONS];
	enum dwarf_reader_kind kind;
	struct dwarf_unit *units; /* by offset */
	size_t unit_count, unit_room;
	struct dwarf_slice **slices;
	size_t slice_count, slice_room;
	struct dwarf_scan_tables abbreviations;
	struct dwarf_reader *supplement; /* of dwz; null: none */
	uint64_t spent[DWARF_SECTIONS];	 /* bytes that units have read */
	char *path;			 /* of its file; null: no memory */
	uint32_t met; /* a bit for each readlimit that it has met */
};

/*
 * Lists the units.  Null when there is no DWARF (`*why` is null) or it cannot
 * be used (`*why` says why, a constant string).  `file` is not needed after
 * that.
 */
struct dwarf_reader *dwarf_reader_open(
	struct elffile *file, enum dwarf_reader_kind kind, const char **why);

/* The supplement, too. */
void dwarf_reader_close(struct dwarf_reader *reader);

/* Something in it is not read for this limit, which is told once. */
void dwarf_reader_note(struct dwarf_reader *reader, enum readlimit limit);

/* For tests: false to go from entry to entry by libdwarf alone. */
void dwarf_reader_scans(bool scans);

/* Makes that the entries of a unit can be read; false when they cannot. */
bool dwarf_unit_load(struct dwarf_unit *unit);

/* Calls back for each range of code.  False when the callback wanted no more.
 */
bool dwarf_unit_ranges(const struct dwarf_unit *unit,
	const struct dwarf_code *code, rangelist_take *take, void *closure);

/* An entry of a loaded unit.  Costs nothing to keep. */
struct dwarf_entry {
	struct dwarf_unit *unit;
	const uint8_t *at; /* in the section: also what it is known by */
	uint16_t tag;	   /* DW_TAG_... */
	bool has_code;	   /* it says where its code is, */
	bool has_ranges;   /* by a list */
	bool is_declaration;
	uint64_t names; /* of attributes that it may have: dwarf_scan_bit() */
};

/* Reads the entry at a place; false when there is none. */
bool dwarf_entry_read(
	struct dwarf_entry *entry, struct dwarf_unit *unit, const uint8_t *at);

enum dwarf_step { DWARF_GO_ON, DWARF_SKIP_CHILDREN, DWARF_STOP };

/* `depth` is that below the entry that the walk began at. */
typedef enum dwarf_step dwarf_take_entry(
	void *closure, const struct dwarf_entry *entry, unsigned depth);

/*
 * Calls back for an entry and all that is below it, in the order of the file;
 * a null `at` is the first entry of the unit.  False when the callback wanted
 * no more.
 */
bool dwarf_walk(struct dwarf_unit *unit, const uint8_t *at,
	dwarf_take_entry *take, void *closure);

/* Attributes are those of <dwarf.h>. */
bool dwarf_entry_has(const struct dwarf_entry *entry, uint16_t attribute);

/* 0 when there is none. */
uint64_t dwarf_entry_number(
	const struct dwarf_entry *entry, uint16_t attribute);

/* Null when there is none.  It lives in the sections. */
const char *dwarf_entry_string(
	const struct dwarf_entry *entry, uint16_t attribute);

/* False when there is none. */
bool dwarf_entry_address(
	const struct dwarf_entry *entry, uint16_t attribute, uint64_t *address);

/* An expression or a block; false when there is none. */
bool dwarf_entry_block(const struct dwarf_entry *entry, uint16_t attribute,
	struct dwarf_bytes *block);

/* Address number `index` of .debug_addr; false when there is none. */
bool dwarf_unit_address(
	const struct dwarf_unit *unit, uint64_t index, uint64_t *address);

/* Reads the entry that an attribute refers to; false when there is none. */
bool dwarf_entry_follow(const struct dwarf_entry *entry, uint16_t attribute,
	struct dwarf_entry *to);

/*
 * Calls back for each range of its code.  False when the callback wanted no
 * more.
 */
bool dwarf_entry_ranges(
	const struct dwarf_entry *entry, rangelist_take *take, void *closure);

/* Of a line table. */
struct dwarf_row {
	uint64_t address;
	uint32_t file;
	uint32_t line;
	uint32_t column;
	bool ends; /* the address is behind the last row */
};

struct dwarf_rows_take {
	/* A file with its number; its strings live in the sections, directory
	 * may be null. */
	bool (*file)(void *closure, uint32_t number, const char *name,
		const char *directory);
	bool (*row)(void *closure, const struct dwarf_row *row);
	void *closure;
};

/* False when a callback said so, for want of memory. */
bool dwarf_unit_rows(
	struct dwarf_unit *unit, const struct dwarf_rows_take *take);

#endif
