/*
 * The value of --stream: `stdout`, `stderr`, `syslog` and `file:GLOB`, with
 * commas between them.  Called by the options.
 */
#ifndef DECODER_STREAM_LIST_H
#define DECODER_STREAM_LIST_H

#include "decoder/output/options.h"

/*
 * Adds what is in the list, which stays the caller's.  Null, or what is wrong
 * with it.
 */
const char *stream_list_add(struct options *options, const char *list);

#endif
