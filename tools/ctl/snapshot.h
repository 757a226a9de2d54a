/*
 * A copy of a capture as it is now, while programs go on writing to it.  Called
 * by running.c.  Promises that no program waits for it, that every record in
 * the copy is whole and has its definitions, that no writer has a gap, and that
 * the copy has its name only when it is finished.
 */
#ifndef TOOLS_CTL_SNAPSHOT_H
#define TOOLS_CTL_SNAPSHOT_H

#include "tools/live/targets.h"

struct snapshot {
	const struct targets *targets;
	const char *out; /* a directory, a name in .binlog or in .blog */
	/* For each copy, or with `why` for what could not be copied. */
	void (*tell)(void *closure, const struct target *target,
		const char *path, uint64_t bytes, const char *why);
	void *closure;
};

/* Of all captures.  False: there is none, and `why` was told. */
bool snapshot_take(const struct snapshot *snapshot);

#endif
