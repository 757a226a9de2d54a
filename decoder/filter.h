/*
 * Which messages were asked for: what the command line says of streams and
 * processes.  No state; any thread.
 */
#ifndef DECODER_FILTER_H
#define DECODER_FILTER_H

#include "decoder/message.h"
#include "decoder/options.h"

bool filter_wants(const struct options *options, const struct message *message);

#endif
