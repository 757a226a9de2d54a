/*
 * The entries of a unit.  Called by all that looks for functions, names and
 * call sites.  Promises to end and to stay inside of the unit, whatever its
 * bytes are.
 */
#ifndef SYMBOLIZER_DWARFENTRY_H
#define SYMBOLIZER_DWARFENTRY_H

#include "symbolizer/dwarf/dwarfunit.h"

struct dwarfentry {
	struct dwarfunit *unit;
	const uint8_t *at; /* also what it is known by */
	const uint8_t *attributes;
	const struct dwarfabbrev *kind;
};

/* A walk over an entry and all that is below it, in the order of the file. */
struct dwarfentry_walk {
	struct dwarfentry entry; /* the present one */
	unsigned depth;		 /* of it; the first one has 0 */
	struct dwarfcursor cursor;
	unsigned next_depth;
	bool ended;
};

/* Reads the entry at a place; false when there is none. */
bool dwarfentry_read(
	struct dwarfentry *entry, struct dwarfunit *unit, const uint8_t *at);

/* Begins at an entry of a loaded unit; dwarfentry_next() leads to it. */
void dwarfentry_start(struct dwarfentry_walk *walk, struct dwarfunit *unit,
	const uint8_t *at);

/* Goes on to the next entry; false when there is none. */
bool dwarfentry_next(struct dwarfentry_walk *walk);

/* Goes on behind what is below the present entry, when that is known. */
void dwarfentry_skip_children(struct dwarfentry_walk *walk);

/* Its form is DWARF_FORM_NONE when the entry has no such attribute. */
struct dwarfvalue dwarfentry_value(
	const struct dwarfentry *entry, uint16_t attribute);

bool dwarfentry_has(const struct dwarfentry *entry, uint16_t attribute);

/* 0 when there is none. */
uint64_t dwarfentry_number(const struct dwarfentry *entry, uint16_t attribute);
/* Null when there is none. */
const char *dwarfentry_string(
	const struct dwarfentry *entry, uint16_t attribute);

/* Reads the entry that an attribute refers to; false when there is none. */
bool dwarfentry_follow(const struct dwarfentry *entry, uint16_t attribute,
	struct dwarfentry *to);

/* True when it says where its code is. */
bool dwarfentry_has_code(const struct dwarfentry *entry);

/* Where its code is, for dwarfunit_ranges(). */
struct dwarfunit_code dwarfentry_code(const struct dwarfentry *entry);

/*
 * Calls back for each range of its code.  False when the callback wanted no
 * more.
 */
bool dwarfentry_ranges(
	const struct dwarfentry *entry, rangelist_take *take, void *closure);

#endif
