/*
 * Whether a path can be relied upon: captures are lengthened by their paths,
 * see growth.h, and by then somebody else may have put another file there.
 * Called when a capture is made.  No lock, async-signal-safe.
 */
#ifndef SHIM_PLACE_H
#define SHIM_PLACE_H

#include <stdbool.h>

/*
 * Nobody but this user and root can change what the absolute path leads to, or
 * any directory on the way: each is no link, is owned by one of them, and in it
 * others may make nothing, or remove nothing of ours (sticky).  `path` is
 * changed, and as it was afterwards.
 */
bool place_is_ours(char *path);

#endif
