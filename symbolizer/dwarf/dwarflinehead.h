/*
 * The header of a line table (DWARF 5, section 6.2.4, and the older one): its
 * rules and its files.  Called by dwarfline alone.  Promises that a table with
 * a damaged header has no program.
 */
#ifndef SYMBOLIZER_DWARFLINEHEAD_H
#define SYMBOLIZER_DWARFLINEHEAD_H

#include "symbolizer/dwarf/dwarfline.h"

/* False when out of memory. */
bool dwarflinehead_read(struct dwarfline *line, const struct dwarfunit *unit);

/* One more, which the program defines; false when out of memory. */
bool dwarflinehead_add_file(
	struct dwarfline *line, const char *name, const char *directory);

#endif
