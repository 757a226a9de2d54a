/*
 * From the order of the calls to the order of the writes: replays what the
 * FILEs of every process hold back, when they are flushed, what a child
 * inherits at fork, what exit() writes and what every other end loses.  Used
 * by `--as-written`; gets every message of a run in order, events included,
 * and puts what is written into the files.  One thread.
 */
#ifndef DECODER_REPLAY_H
#define DECODER_REPLAY_H

#include <stdint.h>

#include "decoder/capture/definition.h"
#include "decoder/capture/message.h"
#include "decoder/output/output.h"

struct written;

/* An open file: what writes go to.  Lives as long as the written. */
struct written_target;

/* Null: out of memory. */
struct written *written_new(void);

/*
 * What text to `stream` goes to, which is not kept.  Null: out of memory, or
 * *full: there are as many files as may be.
 */
struct written_target *written_find(struct written *written,
	const struct definition_stream *stream, bool *full);

void written_put(struct written_target *target, const char *bytes, size_t size);

/*
 * All files, in the order in which they were first found.  False: a temporary
 * file could not be written or read, errno says why.
 */
bool written_give_out(struct written *written, struct output *output);

/* Null is fine. */
void written_free(struct written *written);

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
