/*
 * The configuration that a program was started with, read again: what
 * BINLOG_CONFIG names in its environment, and the control.conf beside its
 * capture.  Called by running.c.
 */
#ifndef TOOLS_CTL_RELOAD_H
#define TOOLS_CTL_RELOAD_H

#include <sys/types.h>

#include "tools/live/changes.h"

/*
 * What would be in force if it were started now, as far as that can be
 * switched.  `capture` is the path of its capture.  False: the sentence in
 * *changes says why not.
 */
bool reload_read(pid_t process, const char *capture, struct changes *changes);

#endif
