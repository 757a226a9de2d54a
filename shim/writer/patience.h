/*
 * How long a thread waits that finds no room in the capture, until binlog-pack
 * has freed some, or somebody has made some on the disk (BINLOG_FULL=block).
 * Called where a block was not to be had.  No lock, async-signal-safe.
 */
#ifndef SHIM_PATIENCE_H
#define SHIM_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Once, while arming, with the setting; null: there is none. */
void patience_begin(const char *value);

/* The calling thread waits for nothing: the process is about to end; or it goes
 * on after all. */
void patience_suspend(bool suspended);

struct patience {
	uint64_t until;	  /* nanoseconds */
	uint64_t pending; /* signals that make no difference */
};

/*
 * False: nobody waits; or somebody has, in vain, and there has been no room
 * since.
 */
bool patience_starts(struct patience *patience);

/*
 * Sleeps for a moment.  False: it has been long enough; or there is a signal
 * that we have blocked, see signal_mask.h, and that may be to end the process.
 */
bool patience_lasts(const struct patience *patience);

/* Behind the last one, after patience_starts() was true. */
void patience_ends(void);

/* There was room; it is asked at each block. */
void patience_ends_well(void);

#endif
