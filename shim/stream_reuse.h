/*
 * Numbers of streams that can be used again.  A program may open more log files
 * in its life than there are numbers; called by streams.c when they are all
 * given out.  What was recorded keeps its meaning: a number is defined anew
 * before it is used again.  Lock-free, async-signal-safe.
 */
#ifndef SHIM_STREAM_REUSE_H
#define SHIM_STREAM_REUSE_H

/*
 * The number of a file that was asked for and is no longer open as any of the
 * descriptors up to `highest`; STREAM_FULL if there is none.
 */
unsigned stream_reuse_number(unsigned highest);

#endif
