/*
 * All messages of all writers of several captures, in one order: that of the
 * calls.  Called by binlog-show.  A writer's own order is always kept; writers
 * are ordered among each other by ticks where these are comparable (one boot
 * of one kernel, one clock), otherwise by wall time; the pieces of one call
 * stay together.  A writer costs memory only while it is being read.
 */
#ifndef DECODER_MERGE_H
#define DECODER_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/capture/message.h"
#include "decoder/capture/recording.h"

struct merge;

/* The captures stay the caller's.  Null: out of memory. */
struct merge *merge_new(struct recording *const *captures, size_t count);

/*
 * Before the first message: those of blocks that are full long before the
 * latest `bytes` of all blocks begin are read, and not given out but for events.
 * Returns the ticks from which on all are; 0: all are anyway, or times do not
 * tell.
 */
uint64_t merge_hide(struct merge *merge, uint64_t bytes);

/* After the last one: times did not tell what comes before what. */
bool merge_was_by_wall(const struct merge *merge);

/* The next message, valid until the next call.  Null: that was all. */
const struct message *merge_next(struct merge *merge);

/* Null is fine. */
void merge_free(struct merge *merge);

#endif
