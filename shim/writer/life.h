/*
 * The birth and the end of this process, as far as a reader of its capture has
 * to know them, and whether a thread is cancelled.  Called by arming and by all
 * that sees the process end.  What is noted goes into the header page: it costs
 * a few stores and needs no block, so that it is known of processes that say
 * nothing, too.  Async-signal-safe.
 */
#ifndef SHIM_LIFE_H
#define SHIM_LIFE_H

#include "record/layout.h"

/*
 * The process is about to have a capture: what its heirs will ask for is left
 * to them.  Returns the inode of its namespace of processes; 0: not known.
 */
uint64_t life_inherit(void);

/* Once, when the capture has been made; or when another's is shared. */
void life_begin(void);
void life_join(void);

/* The same of one that is not used yet: the process, which has one, goes on in
 * it. */
void life_go_on(struct binlog_header *next);

/* The process has been told of as about to end, and is not known to go on. */
bool life_is_over(void);

/* Of the calling process: its inode; 0: not known. */
uint64_t life_pid_namespace(void);

/*
 * The process is about to end by EXIT, LEFT, EXECUTE or SIGNAL of text.def; 0:
 * it is not after all.  Of a forked child nothing is noted, since the page is
 * its parent's.  Not for one of vfork.
 */
void life_note(unsigned text, int64_t value);

/*
 * All is recorded, and the process ends.  Where binlog-run(1) has said that
 * somebody watches it, what was recorded is told of now, while it waits, but
 * not for long.
 */
void life_let_tell(void);

/*
 * The calling thread may be told of if it is cancelled: not that of main, in
 * which libc takes a longjmp for the same.
 */
void life_watch_thread(void);

/* It ends by itself: pthread_exit(3). */
void life_thread_ends(void);
bool life_thread_has_ended(void);

#endif
