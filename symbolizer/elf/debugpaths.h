/*
 * Where other files may be that belong to the debug information of a file.
 * Filled by symbolmodule, read by what looks for split units and supplements.
 * Promises nothing: the files found prove themselves.
 */
#ifndef SYMBOLIZER_DEBUGPATHS_H
#define SYMBOLIZER_DEBUGPATHS_H

#include "symbolizer/elf/elffile.h"
#include "symbolizer/symbolizer.h"

struct debugpaths {
	const struct symbolizer_options *options;
	const struct elffile *file;    /* that has the debug information */
	const struct elffile *program; /* that it was made for, or the same */
};

#endif
