/*
 * Finds the blocks of a capture file.  Called by recording_open() once; looks
 * at every page where a block may begin, so damage costs the blocks that it hit
 * and no others.  Reads only headers and what is not a block.
 */
#ifndef DECODER_BLOCK_SCAN_H
#define DECODER_BLOCK_SCAN_H

#include <stdbool.h>

#include "decoder/capture/recording.h"

/*
 * Fills the capture's index, sorted, each block once; adds what the blocks
 * have passed and dropped.  False: out of memory.
 */
bool block_scan(struct recording *capture);

#endif
