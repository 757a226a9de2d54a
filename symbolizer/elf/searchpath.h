/*
 * Where a recorded path leads on this machine: through the path maps, else
 * below the sysroot, else as it is.  Called for modules and for whatever lies
 * beside them.  Promises that what is below the sysroot stays there, also
 * where links are absolute.
 */
#ifndef SYMBOLIZER_SEARCHPATH_H
#define SYMBOLIZER_SEARCHPATH_H

#include "symbolizer/symbolizer.h"

/* For elffile_open_below() and others that take a root. */
struct searchpath {
	const char *root; /* the sysroot, or null */
	char *path;
};

/* False when out of memory; else the caller frees `path` of it. */
bool searchpath_find(struct searchpath *place,
	const struct symbolizer_options *options, const char *recorded);

#endif
