/*
 * What binlog-ctl says when it is given nothing: which programs are recorded
 * now, and what can be said to one of them.  Called by main.
 */
#ifndef TOOLS_CTL_OVERVIEW_H
#define TOOLS_CTL_OVERVIEW_H

#include "tools/ctl/status.h"

/* Of those that the caller may look at. */
enum exit_status overview_say(void);

#endif
