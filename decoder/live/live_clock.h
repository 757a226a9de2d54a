/*
 * The clock of a capture that grows: made anew of the blocks that are there
 * whenever there are others.  Called by live_capture.c.  What a clock said
 * about a moment may differ by nanoseconds from what a later one says of it.
 */
#ifndef DECODER_LIVE_CLOCK_H
#define DECODER_LIVE_CLOCK_H

#include "decoder/live/live_capture.h"

/*
 * Fills the recording's list of blocks, too.  A clock that was set is reported
 * once.  False: out of memory.
 */
bool live_clock_renew(struct live_capture *capture);

#endif
