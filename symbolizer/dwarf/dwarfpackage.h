/*
 * Packages of split units, .dwp files (DWARF 5, section 7.3.5, and its
 * forerunner).  Called by dwarfsplit when it has opened one.  Promises that
 * units which the index does not mention are left as they are.
 */
#ifndef SYMBOLIZER_DWARFPACKAGE_H
#define SYMBOLIZER_DWARFPACKAGE_H

#include "symbolizer/dwarf/dwarfunit.h"

/*
 * Tells the units of `package`, which are listed but not opened, their ids and
 * where their parts of the sections begin.  False when there is no index.
 */
bool dwarfpackage_apply(struct dwarfobject *package);

#endif
