/*
 * What two runs differ in, for people: places that appeared, vanished, or say
 * clearly more or less; arguments with clearly other values; the first
 * difference of a thread.  Called by show_diff.c.
 */
#ifndef DECODER_RUN_REPORT_H
#define DECODER_RUN_REPORT_H

#include "decoder/output/output.h"
#include "decoder/runs/run_diff.h"

/* False: out of memory. */
bool run_report_put(const struct run_diff *diff, struct output *output);

#endif
