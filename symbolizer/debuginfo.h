/*
 * The debug information of one file, searched by address.  Called by the
 * symbolizer once per question that it has not answered lately.  Promises to
 * list the units once, and to read the contents of a unit only when an address
 * falls into it.
 */
#ifndef SYMBOLIZER_DEBUGINFO_H
#define SYMBOLIZER_DEBUGINFO_H

#include "symbolizer/debugunit.h"
#include "symbolizer/elffile.h"

struct debuginfo;

/* What is known about an address.  Valid until debuginfo_close(). */
struct debuginfo_place {
	struct debugunit *unit;
	uint32_t function;	/* DEBUGUNIT_NONE: unknown */
	const struct debugunit_row *row;	/* null: unknown */
};

/*
 * Null when there is none (`*why` is null) or it cannot be used (`*why` says
 * why, a constant string).  `file` is not needed afterwards.
 */
struct debuginfo *debuginfo_open(struct elffile *file, const char **why);
void debuginfo_close(struct debuginfo *info);

/* False when no unit knows the address. */
bool debuginfo_find(struct debuginfo *info, uint64_t address,
	struct debuginfo_place *place);

#endif
