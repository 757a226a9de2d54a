/*
 * The packer: messages in, frames of a packed log (record/packed.h) out.
 * Called by binlog-pack with all that merge_next() or a follower yields.
 * Promises that whatever is written is a valid log at any frame, that every
 * message is in it once, and memory that does not grow with the messages.
 * One thread.
 */
#ifndef DECODER_PACK_H
#define DECODER_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "decoder/capture/message.h"
#include "decoder/capture/recording.h"
#include "decoder/pack/frame_write.h"

struct pack;
struct locations;
struct restore;

/*
 * Takes one or more whole frames.  False: they are not taken, and the packer
 * gives up: all that it is asked for afterwards fails.
 */
typedef bool pack_take(void *closure, const void *bytes, size_t size);

struct pack_options {
	int level; /* of zstd, 0: the packer's choice */
	/* For the names of stacks, so that readers need no files; null: no
	 * names. */
	struct locations *locations;
	/* For the constants that calls hand on, so that readers need no
	 * programs to tell statements apart; null: none. */
	struct restore *programs;
	bool programs_matter; /* those that are not there */
	bool plain; /* each message in a frame of its own, not compressed */
};

/*
 * Gives `size` bytes again that were taken, the first of them `back` bytes
 * before the last one's end.  False: it cannot.
 */
typedef bool pack_give_back(
	void *closure, uint64_t back, void *bytes, size_t size);

/* A new log.  The closure stays the caller's.  Null: out of memory. */
struct pack *pack_new(
	const struct pack_options *options, pack_take *take, void *closure);

/* Before the first message: what was taken can be had again, so that the packer
 * need not keep it for the parity. */
void pack_use_back(struct pack *pack, pack_give_back *give_back);

/*
 * Adds a message; nothing of it is needed afterwards but its capture and
 * program, until pack_capture_end(), and its context, as long as that lives.
 * False: out of memory, or not taken.  The same of all below; it sticks.
 */
bool pack_message(struct pack *pack, const struct message *message);

/* Gives out everything that was added. */
bool pack_flush(struct pack *pack);

/* How many messages were added that are not given out yet. */
size_t pack_pending(const struct pack *pack);

/* How many messages were added in all, as readers count them: events, as the
 * end of a process, and pieces are none. */
uint64_t pack_messages(const struct pack *pack);

/* Whether anything was added, messages or events. */
bool pack_has_any(const struct pack *pack);

/* How many strings were left out: their messages have too much of them. */
uint64_t pack_left_out(const struct pack *pack);

/*
 * For a frame of the caller's, right after pack_flush() and before anything
 * else: frame_write_begin() to frame_write_end() with what it returns; it is
 * given out with the next ones.
 */
struct frame_write *pack_frame(struct pack *pack);

/* Something is missing in a capture; null: it is not known in which. */
bool pack_loss(struct pack *pack, struct recording *capture,
	const struct error *error);

/* As many are missing as were added to the list, but not kept. */
bool pack_loss_of_more(struct pack *pack, const struct error_list *errors);

/* The capture has ended and may be closed then. */
bool pack_capture_end(struct pack *pack, struct recording *capture);

/* The log has ended. */
bool pack_end(struct pack *pack);

/* Null is fine. */
void pack_free(struct pack *pack);

#endif
