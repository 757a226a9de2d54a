/*
 * Calls that were passed on or dropped, as all blocks of a capture say it.
 * Called by status_count.c after each pass.  Promises to look once at blocks
 * that are done with, and to forget those that were freed.
 */
#ifndef TOOLS_CTL_STATUS_LOSSES_H
#define TOOLS_CTL_STATUS_LOSSES_H

#include "tools/live/status_count.h"

/* What is in the header was counted by threads without a block. */
void status_losses_sum(struct status_count *count);

#endif
