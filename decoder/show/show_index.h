/*
 * `binlog-show --index`: the statements of programs, no messages.  Called by
 * main instead of showing those; says itself what is to be said.
 */
#ifndef DECODER_SHOW_INDEX_H
#define DECODER_SHOW_INDEX_H

#include "base/exit_status.h"
#include "decoder/output/options.h"

/* The paths are of programs, and of captures for what has made messages. */
enum exit_status show_index(const struct options *options);

#endif
