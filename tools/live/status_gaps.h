/*
 * Of a capture that binlog-pack frees while it is counted: its places are used
 * again, and what was freed before it was read is gone.  Called by
 * status_count.c before each look at it.  Promises that what is there is
 * found, and that nothing is read as something that it is not any more.
 */
#ifndef TOOLS_CTL_STATUS_GAPS_H
#define TOOLS_CTL_STATUS_GAPS_H

#include "tools/live/status_count.h"

/* Looks for what is new, as live_capture_look(); count->missed is how many
 * bytes were freed unread. */
void status_gaps_look(struct status_count *count);

#endif
