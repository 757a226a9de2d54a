/*
 * The capture behind a descriptor, as it is now, into an empty file: what
 * readers read, at the same places, with holes between.  Called by snapshot.c.
 */
#ifndef TOOLS_CTL_CAPTURE_COPY_H
#define TOOLS_CTL_CAPTURE_COPY_H

#include <stdbool.h>
#include <stdint.h>

/* False: errno says why not; *bytes are those of its blocks. */
bool capture_copy(int from, int to, uint64_t *bytes);

#endif
