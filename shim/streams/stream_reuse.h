/*
 * Numbers of streams that can be used again.  A program may open more log files
 * in its life than there are numbers, or have more descriptors of one output;
 * called by streams.c when half of them and when all of them are given out.
 * What was recorded keeps its meaning: a number is defined anew before it is
 * used again.  Lock-free, async-signal-safe.
 *
 * It is done in rounds, since a thread may have been told a number that no
 * descriptor remembers yet: what is not open when a round begins is not found
 * any more, and given out in the next round if it still is not open.
 */
#ifndef SHIM_STREAM_REUSE_H
#define SHIM_STREAM_REUSE_H

/* Ways to one output differ only by their numbers, and those that are open may
 * all be in use.  So these are forgotten in turn, where they hold nothing back:
 * each that is used again is decided on anew, and gets another number. */
void stream_reuse_evict(unsigned highest);

/* Begins the first round; descriptors up to `highest` are known. */
void stream_reuse_begin(unsigned highest);

/* A number that is free again; STREAM_FULL if there is none. */
unsigned stream_reuse_number(unsigned highest);

#endif
