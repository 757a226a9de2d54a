/*
 * What binlog-show does for --diff: two runs in, what they differ in out.
 * Part of the main of binlog-show: it says itself what is wrong.
 */
#ifndef DECODER_SHOW_DIFF_H
#define DECODER_SHOW_DIFF_H

#include "base/exit_status.h"
#include "decoder/output/options.h"
#include "decoder/output/output.h"
#include "decoder/runs/run_diff.h"

/* Of the two paths of the options. */
enum exit_status show_diff(const struct options *options);

/* Appends what was compared.  False: out of memory. */
bool show_diff_put(const struct run_diff *diff, struct output *output);

#endif
