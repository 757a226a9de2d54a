/*
 * The build ID of an ELF file, by which a process knows a module whatever its
 * path.  Called by resolve.c.
 */
#ifndef TOOLS_CTL_RESOLVE_BUILD_ID_H
#define TOOLS_CTL_RESOLVE_BUILD_ID_H

#include <stdbool.h>

#define RESOLVE_BUILD_ID_BYTES_MAX 64

/* In hexadecimal digits; false: it has none, or cannot be read. */
bool resolve_build_id(const char *path,
	char digits[static 2 * RESOLVE_BUILD_ID_BYTES_MAX + 1]);

#endif
