/*
 * Has the log written to disk beside everything else, since that may take as
 * long as the disk is busy, and captures grow meanwhile.  Called by
 * follow_step.c.  Promises nothing for a power cut but that the log on disk is
 * seldom more than a second or two behind.
 */
#ifndef TOOLS_PACK_FOLLOW_SYNC_H
#define TOOLS_PACK_FOLLOW_SYNC_H

/* Begins with what `fd` has, unless it is at it still; returns at once. */
void follow_sync(int fd);

#endif
