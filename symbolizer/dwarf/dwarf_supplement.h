/*
 * The file that dwz moved to what several files have in common (DWARF 5,
 * section 7.3.6, and its forerunner).  Called by debuginfo when it opens a
 * file.  Promises to use no file but the one with the build-id that is wanted.
 */
#ifndef SYMBOLIZER_DWARF_SUPPLEMENT_H
#define SYMBOLIZER_DWARF_SUPPLEMENT_H

#include "symbolizer/dwarf/dwarf_reader.h"
#include "symbolizer/elf/debugfile.h"

/* Null when `file` names none, or it cannot be found. */
struct dwarf_reader *dwarf_supplement_open(
	struct elffile *file, const struct debugpaths *paths);

#endif
