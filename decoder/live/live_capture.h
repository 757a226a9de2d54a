/*
 * One capture that is read while it grows: its writers, how far each was read,
 * and what has to be known of them to go on later.  Called by live.c, which
 * merges; promises that each record comes once, in the order of its writer, and
 * that no block is said to be done with that anybody may still write to.
 */
#ifndef DECODER_LIVE_CAPTURE_H
#define DECODER_LIVE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "decoder/capture/block_scan.h"
#include "decoder/capture/wall_clock.h"
#include "decoder/capture/writer_stream.h"
#include "decoder/live/live_past.h"

struct live_gap {
	uint64_t at;
	uint64_t end;
	bool whole; /* a block can begin at its start only, and has all of it */
};

/* All zeros knows of no place. */
struct live_blocks {
	struct live_gap *gaps; /* in no order */
	size_t count;
	size_t room;
	uint64_t claimed;   /* up to here places are blocks or in `gaps` */
	uint64_t published; /* of the header, when it was last looked at */
	uint64_t looked;    /* when: CLOCK_MONOTONIC, nanoseconds */
	bool anywhere;	    /* a block may reach from one gap into another */
	struct live_gap *taken; /* in this call, then */
	size_t taken_count;
	size_t taken_room;
	uint64_t found; /* bytes of blocks, in all calls */
	struct block_search search;
};

/* A block has begun, and may use `place` bytes. */
typedef void live_blocks_found(
	void *closure, const struct recording_block *block, uint64_t place);

/*
 * Tells of all blocks that have begun since the last time.  Unless `all`, it
 * may be left to the next call to look.  False: out of memory.
 */
bool live_blocks_look(struct live_blocks *blocks, struct recording *capture,
	bool all, live_blocks_found *found, void *closure);

/* A place was freed, and will be taken for a block again. */
bool live_blocks_expect(
	struct live_blocks *blocks, uint64_t offset, uint64_t size);

void live_blocks_free(struct live_blocks *blocks);

/* A block and how many bytes it may use. */
struct live_block {
	struct recording_block block;
	uint64_t place;
};

struct live_block_list {
	struct live_block *blocks;
	size_t count;
	size_t room;
};

struct live_writer {
	struct live_capture *capture;
	uint32_t number;
	struct writer_stream stream;
	struct recording_block *blocks; /* not released yet, in order */
	uint64_t *places;		/* bytes that each may use */
	size_t count;
	size_t room;
	uint32_t next_sequence; /* of the block that is to come next */
	uint32_t skip_sequence; /* what is before this was given out by the */
	uint32_t skip_offset;	/* follower before us */
	struct live_position saved;
	bool gone; /* its process: it will write no more */
	uint32_t order;
	/* What it is told of its thread, and of who has created that, begins
	 * here in `kept`; 1 more, 0: nowhere. */
	size_t thread_at;
	size_t origin_at;
};

struct live_capture {
	struct recording *recording;
	char *path; /* of the recording */
	struct wall_clock clock;
	struct live_blocks places;
	struct id_map by_number; /* of writers */
	struct live_writer **writers;
	size_t count;
	size_t room;
	struct live_block_list early; /* their predecessors are missing */
	struct live_block_list stale; /* the follower before us was done */
				      /* with them, but has not freed them */
	uint8_t *kept; /* struct live_record and control record, repeatedly */
	size_t kept_bytes;
	size_t kept_room;
	size_t kept_saved;
	bool keeps_nothing; /* nobody will ask what is kept */
	uint64_t asked;	    /* when it was asked who is left, nanoseconds */
	unsigned asks;	    /* how often */
	bool fresh;	    /* blocks were added, the clock has to learn */
	bool told_of_clock;
	bool told_of_freed; /* or nothing had been, when it was found */
	bool ended;	    /* nobody is left to write to it */
	bool finished;	    /* and all was given out */
	bool stuck;	    /* and it could not be freed */
	bool failed;	    /* out of memory */
};

/* `past` may be null.  Null: out of memory; `path` and `recording` are its. */
struct live_capture *live_capture_new(
	char *path, struct recording *recording, const struct live_past *past);

/* Looks for new blocks, and, `asks`, for whoever could still write. */
void live_capture_look(struct live_capture *capture, bool asks);

/* The next message of the writer, or another state: see writer_stream.h. */
void live_capture_step(struct live_writer *writer);

/* How far it was given out. */
struct live_position live_capture_position(const struct live_writer *writer);

/* How many of its blocks were read and will not be written to. */
size_t live_capture_done(const struct live_writer *writer);

/* The first `count` blocks of the writer are gone. */
void live_capture_forget(struct live_writer *writer, size_t count);

/* Blocks that were read may have been freed, and others be in their places. */
void live_capture_notice_freed(struct live_capture *capture);

void live_capture_free(struct live_capture *capture);

#endif
