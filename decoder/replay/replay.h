/*
 * From the order of the calls to the order of the writes: replays what the
 * FILEs of every process hold back, when they are flushed, what a child
 * inherits at fork, what exit() writes and what every other end loses.  Used
 * by `--as-written`; gets every message of a run in order, events included,
 * and puts what is written into the files (written.h).  One thread.
 */
#ifndef DECODER_REPLAY_H
#define DECODER_REPLAY_H

#include "decoder/capture/message.h"
#include "decoder/replay/written.h"

struct replay;

/* `written` stays the caller's.  Null: out of memory. */
struct replay *replay_new(struct written *written);

/* `wanted`: the text is to be given out, once it is written. */
void replay_message(
	struct replay *replay, const struct message *message, bool wanted);

/* There was no memory for something: text is missing. */
bool replay_failed(const struct replay *replay);

/*
 * The end: what is still held back is lost, but for captures that were full.
 * Null is fine.
 */
void replay_free(struct replay *replay);

#endif
