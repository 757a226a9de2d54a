/*
 * The last of a capture in a packed log: how its process ended, and what was
 * not recorded.  Called by pack.c when it is about to be closed.
 */
#ifndef DECODER_PACK_ENDS_H
#define DECODER_PACK_ENDS_H

#include "decoder/pack/pack_define.h"

/* Appends the frame, and those of processes that are not in this part yet.
 * False: out of memory. */
bool pack_ends_capture(struct pack_define *define, struct recording *capture);

#endif
