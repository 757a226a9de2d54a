/*
 * On a terminal, somebody who stays when binlog-run has become the program, and
 * says at its end what was recorded.  Called by main before it executes.
 * Promises that the program and whoever waits for it notice nothing: it is no
 * child of theirs, in no group and session of theirs, holds none of their
 * descriptors but standard error (and a file that is standard output), and
 * sends no signal.
 */
#ifndef TOOLS_RUN_END_WATCH_H
#define TOOLS_RUN_END_WATCH_H

#include <stdbool.h>

#include "tools/run/summary.h"

/* Whether there is anybody to be told: standard error is a terminal. */
bool end_watch_is_of_use(void);

/* What will not be written by the calling process's outputs is said.  */
void end_watch_say_hidden(void);

/*
 * `summary` with all but the output filled.  Returns a descriptor for
 * end_watch_cancel(), which is closed when this process executes the program;
 * -1: nobody watches.
 */
int end_watch_begin(struct summary *summary);

/* The program could not be executed. */
void end_watch_cancel(int watcher);

#endif
