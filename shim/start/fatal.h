/*
 * Signals that end the program.  Where the program leaves a fault or abort()
 * to the default action, a handler of ours stands in for that: it records
 * the signal with the stack of the interrupted instruction, and libc's last
 * message, and lets the default action happen.  No program sees it: the
 * wrappers of sigaction(2) and its relatives, which call this, show the
 * default action instead.  A handler of the program's own is never replaced.
 */
#ifndef SHIM_FATAL_H
#define SHIM_FATAL_H

#include <signal.h>

#include "shim/writer/memo.h"

/* Defined by wrappers/functions.c, filled in by host_resolve(). */
extern int (*next_sigaction)(int, const struct sigaction *, struct sigaction *);

/*
 * Stands in for every default action, from the constructor on; does nothing
 * where BINLOG_SIGNALS is 0, nothing is recorded, or the process is the first
 * of its pid namespace, which signals do not kill.
 */
void fatal_watch(void);

/* Puts the default actions back: from here on none of it could be done. */
void fatal_unwatch(void);

/* What is done on `number` may have been changed by the program. */
void fatal_adopt(int number);

/* Puts the default action back until fatal_adopt(): libc changes its flags. */
void fatal_yield(int number);

/* What the program may see of an action that was in the kernel. */
void fatal_hide(int number, struct sigaction *action);
sighandler_t fatal_hide_handler(sighandler_t handler);

/*
 * The program is about to abort by a call of its own.  Records what the
 * handler would not, because it is not there.
 */
void fatal_abort(const struct call *call);

#endif
