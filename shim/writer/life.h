/*
 * The birth and the end of this process, as far as a reader of its capture has
 * to know them.  Called by arming and by all that sees the process end.  What
 * is noted goes into the header page: it costs a few stores and needs no block,
 * so that it is known of processes that say nothing, too.  Async-signal-safe.
 */
#ifndef SHIM_LIFE_H
#define SHIM_LIFE_H

#include "record/layout.h"

/* Once, when the capture has been made. */
void life_begin(void);

/* Of the calling process: its inode; 0: not known. */
uint64_t life_pid_namespace(void);

/*
 * The process is about to end by EXIT, LEFT, EXECUTE or SIGNAL of text.def; 0:
 * it is not after all.  Of a forked child nothing is noted, since the page is
 * its parent's.  Not for one of vfork.
 */
void life_note(unsigned text, int64_t value);

#endif
