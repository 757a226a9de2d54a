/*
 * Functions that are missing from a stack since their last call was a jump
 * (DWARF 5, section 3.4.1).  Asked by the resolver about two frames, one of
 * which has not called the other.  Promises to tell nothing where more than
 * one way leads from the one to the other, and to end.
 */
#ifndef SYMBOLIZER_TAILCALLS_H
#define SYMBOLIZER_TAILCALLS_H

#include "symbolizer/answers/symbolmodule.h"

/* More jumps in a row are not looked for. */
#define TAILCALLS_MAX 8

/* An address in the instruction of each jump, the last jump first. */
struct tailcalls {
	uint64_t addresses[TAILCALLS_MAX];
	size_t count;
};

/* None are found when memory is out. */
void tailcalls_find(struct tailcalls *found, struct symbolmodule *module,
	const struct symbolizer_gap *gap);

#endif
