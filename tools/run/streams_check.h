/*
 * What binlog-run hands to the library in BINLOG_STREAMS.  Called by main.
 * Promises to say what the library, which prints nothing, could only pass over
 * in silence.
 */
#ifndef TOOLS_RUN_STREAMS_CHECK_H
#define TOOLS_RUN_STREAMS_CHECK_H

#include <stdbool.h>

#include "tools/program/preload.h"

/* Whether every item of the list means something; null is fine. */
bool streams_check(const char *list, struct refusal *refusal);

#endif
