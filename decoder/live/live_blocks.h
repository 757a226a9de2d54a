/*
 * The blocks of a capture that grows: where in the file new ones may begin, and
 * which have begun.  Called by live_capture.c in each pass; looks only at what
 * was claimed and is not a block yet.
 */
#ifndef DECODER_LIVE_BLOCKS_H
#define DECODER_LIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/capture/block_judge.h"

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

/*
 * The same when nobody writes to it any more: all of the file is looked at,
 * whatever the header says, and what is damaged in it is reported.
 */
bool live_blocks_finish(struct live_blocks *blocks, struct recording *capture,
	live_blocks_found *found, void *closure);

/* A place was freed, and will be taken for a block again. */
bool live_blocks_expect(
	struct live_blocks *blocks, uint64_t offset, uint64_t size);

/* The same, but who knows where in it and in what lies beside it. */
bool live_blocks_expect_anywhere(
	struct live_blocks *blocks, uint64_t offset, uint64_t size);

void live_blocks_free(struct live_blocks *blocks);

#endif
