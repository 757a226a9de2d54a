/*
 * What binlog-run hands to the library in variables of one value: numbers,
 * sizes, a level.  Called by main.  Promises to say what the library, which
 * prints nothing, could only pass over in silence.
 */
#ifndef TOOLS_RUN_VALUES_CHECK_H
#define TOOLS_RUN_VALUES_CHECK_H

#include <stdbool.h>

#include "tools/program/refusal.h"

/* Whether each variable that is set means something. */
bool values_check(struct refusal *refusal);

#endif
