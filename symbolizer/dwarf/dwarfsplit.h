/*
 * Units that were left in files of their own (DWARF 5, section 7.3.2): .dwo
 * files and packages of them.  Called by debuginfo when it needs the entries
 * of a unit that says so.  Promises to use no unit but the one that belongs to
 * it.
 */
#ifndef SYMBOLIZER_DWARFSPLIT_H
#define SYMBOLIZER_DWARFSPLIT_H

#include "symbolizer/dwarf/dwarfunit.h"
#include "symbolizer/elf/debugfile.h"

struct dwarfsplit;

/* Null when out of memory. */
struct dwarfsplit *dwarfsplit_new(const struct debugpaths *paths);
void dwarfsplit_free(struct dwarfsplit *split);

/* The rest of `skeleton`, opened; null when there is none. */
struct dwarfunit *dwarfsplit_unit(
	struct dwarfsplit *split, struct dwarfunit *skeleton);

#endif
