/*
 * What a ring says while its program goes on: `binlog-show --follow` of rings.
 * They are overwritten as they are read, so each pass takes them as they are at
 * one moment, by a process of its own, and shows what no pass before has shown.
 * Here is what the passes know of each other, in memory that they share.
 * Promises that each message that is still there is shown once, and that it is
 * told where some were overwritten before.
 */
#ifndef DECODER_WATCH_RING_H
#define DECODER_WATCH_RING_H

#include "decoder/capture/message.h"
#include "decoder/source/capture_list.h"

struct watch_ring;

/* A ring, or a directory with one.  Reads headers alone. */
bool watch_ring_is(const char *path);

/* Before the first pass.  Null: out of memory. */
struct watch_ring *watch_ring_new(void);

/* By the process of a pass, when captures were opened. */
void watch_ring_begin(struct watch_ring *ring, const struct capture_list *list);

/* Asked for each message in the order of its thread: it was not shown yet. */
bool watch_ring_shows(struct watch_ring *ring, const struct message *message);

/* Between passes: somebody could write to what was read in the last one. */
bool watch_ring_grows(const struct watch_ring *ring);

#endif
