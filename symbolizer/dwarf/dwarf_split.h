/*
 * Units that were left in files of their own (DWARF 5, section 7.3.2): .dwo
 * files and packages of them.  Called by debuginfo when it needs the entries
 * of a unit that says so.  Promises to use no unit but the one that belongs to
 * it.
 */
#ifndef SYMBOLIZER_DWARF_SPLIT_H
#define SYMBOLIZER_DWARF_SPLIT_H

#include "symbolizer/dwarf/dwarf_reader.h"
#include "symbolizer/elf/debugfile.h"

struct dwarf_split;

/* Null when out of memory. */
struct dwarf_split *dwarf_split_new(const struct debugpaths *paths);
void dwarf_split_free(struct dwarf_split *split);

/* The rest of `skeleton`, opened; null when there is none. */
struct dwarf_unit *dwarf_split_unit(
	struct dwarf_split *split, struct dwarf_unit *skeleton);

#endif
