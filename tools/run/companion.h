/*
 * The companion of a run: a process beside it that makes blocks of its captures
 * ready, so that the programs need not.  Started by binlog-run
 * before it becomes the program, to which it is neither child nor member of its
 * session, and of which it holds nothing open.  Ends with the last process of
 * the run; killed, it costs nothing but its help.
 */
#ifndef TOOLS_RUN_COMPANION_H
#define TOOLS_RUN_COMPANION_H

#include <stdbool.h>

/*
 * For the captures in `directory`, which exists, of the caller, of the program
 * that it is about to become, and of all that it starts.  Returns when the
 * companion watches; false: there is none, and errno says why.
 */
bool companion_start(const char *directory);

#endif
