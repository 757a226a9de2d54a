/*
 * What a follower notes in its log for those after it: POSITION and CONTROL
 * frames.  Written by follow.c at the end of each step; follow_back.h reads
 * them.
 */
#ifndef TOOLS_PACK_FOLLOW_FRAMES_H
#define TOOLS_PACK_FOLLOW_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/live/live.h"
#include "decoder/pack/frame_write.h"

/* First in each file: it is one of a follower. */
void follow_frames_begin(struct frame_write *frame);

/*
 * Notes what has changed since the last time, or `all`, in frames that end
 * with the POSITION of a whole step.  False: out of memory.
 */
bool follow_frames_save(struct frame_write *frame, struct live *live, bool all);

#endif
