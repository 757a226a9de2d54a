/*
 * Changes in all captures that binlog-ctl was asked about, and in what starts
 * later; says of each capture what came of it.  Called by running.c.  Promises
 * that a program which starts meanwhile obeys, too.
 */
#ifndef TOOLS_CTL_SWITCH_ALL_H
#define TOOLS_CTL_SWITCH_ALL_H

#include "tools/live/changes.h"
#include "tools/live/targets.h"

struct switch_all {
	struct targets *targets;
	bool waits;	  /* as it was asked for */
	uint64_t wait_ns; /* for the changes to be in force */
	bool left;	  /* something could not be done, or is not in force */
};

/* Rules about the source become such about places. */
void switch_all(struct switch_all *all, struct changes *changes);

/* What each process would do if it were started now. */
void switch_all_reload(struct switch_all *all);

#endif
