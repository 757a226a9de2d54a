/*
 * `binlog-run --selftest`: a small program, which is binlog-run itself, is run
 * natively and recorded, its record is read back by binlog-show, and both are
 * compared byte for byte.  Called by main.  Promises to leave nothing behind,
 * and to end: who takes a minute is ended.
 */
#ifndef TOOLS_RUN_SELFTEST_H
#define TOOLS_RUN_SELFTEST_H

#include <stdbool.h>

#include "tools/program/preload.h"

/* Says on standard output what works, line by line.  False: something does not,
 * and *refusal has the sentence. */
bool selftest_run(struct refusal *refusal);

/* This process is the small program, by the name that it was started with: it
 * has spoken, and is to end with *status. */
bool selftest_is_program(const char *name, int *status);

#endif
