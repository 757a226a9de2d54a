/*
 * The line table of a compilation unit, by libdwarf.  Called by debuginfo when
 * a unit is needed for the first time.  Promises to leave out what is damaged.
 */
#ifndef SYMBOLIZER_DWARFLINE_H
#define SYMBOLIZER_DWARFLINE_H

#include "symbolizer/debugunit.h"
#include "symbolizer/dwarfread.h"

/*
 * Adds files, rows and sequences of the unit at `offset`.  False when out of
 * memory.
 */
bool dwarfline_read(
	struct dwarfread *reader, uint64_t offset, struct debugunit *unit);

#endif
