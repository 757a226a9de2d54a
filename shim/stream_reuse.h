/*
 * Numbers of streams that can be used again.  A program may open more log files
 * in its life than there are numbers; called by streams.c when half of them
 * and when all of them are given out.  What was recorded keeps its meaning: a
 * number is defined anew before it is used again.  Lock-free,
 * async-signal-safe.
 *
 * It is done in rounds, since a thread may have been told a number that no
 * descriptor remembers yet: what is not open when a round begins is not found
 * any more, and given out in the next round if it still is not open.
 */
#ifndef SHIM_STREAM_REUSE_H
#define SHIM_STREAM_REUSE_H

/* Begins the first round; descriptors up to `highest` are known. */
void stream_reuse_begin(unsigned highest);

/* A number that is free again; STREAM_FULL if there is none. */
unsigned stream_reuse_number(unsigned highest);

#endif
