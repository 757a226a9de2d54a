/*
 * How recording begins: the settings from the environment, the identity of the
 * run, and the capture.  Armed by our constructor or by the first call before
 * it; there is no destructor that matters, since records need no flush.
 */
#ifndef SHIM_STARTUP_H
#define SHIM_STARTUP_H

#include "shim/host/sys.h"

/* Reads the settings and creates the capture; only the first call does so. */
void startup_arm(void);

/* Whether startup_arm() has been called. */
extern HIDDEN bool startup_begun;

/*
 * Every wrapper begins with this: what the run's outputs are has to be known
 * before the first close or dup2, and the next functions before any call.
 */
static inline void startup(void)
{
	if (unlikely(!startup_begun))
		startup_arm();
}

struct binlog_header;
struct binlog_spill;

/*
 * Makes the next capture of this process beside the one that is used, with
 * *account on its header page: not used before capture_file_turn().  Null: it
 * could not be made, and *why is one of enum binlog_spill_refused.
 */
struct binlog_header *startup_next_capture(
	const struct binlog_spill *account, uint32_t *why);

#endif
