/*
 * A program run as a child by a parent that is to end as the child ended.
 * Called by binlog-run when there is something to do afterwards.  Promises
 * that the child starts with the caller's signal dispositions and mask, and
 * that whoever watches the parent sees what the child's parent would see.
 */
#ifndef TOOLS_RUN_ATTEND_H
#define TOOLS_RUN_ATTEND_H

#include <sys/types.h>

/*
 * Forks and returns twice, as fork(2) does: 0 in the child, which goes on to
 * execute.  In the parent, until attend_finish(), keys that interrupt are left
 * to the child, and a SIGTERM or SIGHUP is passed on to it.  -1 on failure,
 * with nothing changed.  One child at a time.
 */
pid_t attend_start(void);

/* Waits for the child; returns its wait status. */
int attend_finish(pid_t child);

/* Ends this process with the same exit status or by the same signal. */
_Noreturn void attend_end_alike(int status);

#endif
