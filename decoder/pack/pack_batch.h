/*
 * Messages on their way into a batch of a packed log: collected row by row,
 * written column by column.  Used by pack.c.  Copies what it needs of a
 * message; its definitions are written before it is added.
 */
#ifndef DECODER_PACK_BATCH_H
#define DECODER_PACK_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/capture/message.h"
#include "decoder/pack/column_write.h"
#include "decoder/pack/frame_write.h"
#include "decoder/pack/pack_define.h"

struct pack_row {
	uint64_t ticks;
	uint64_t residual; /* of the wall time */
	uint64_t wall;
	uint32_t site; /* ids */
	uint32_t thread;
	uint32_t values; /* its first argument */
	uint16_t core;	 /* one more than its number; 0: not known */
	bool continues;
};

/* A clock of a capture, from a message of the batch on. */
struct pack_clock {
	uint32_t capture; /* id */
	uint32_t message;
	struct wall_segment segment;
};

/* All strings of a message together: no record of a capture has more. */
#define PACK_BATCH_STRINGS_MAX ((1u << 20) + (8u << 10))

struct pack_batch {
	struct pack_row *rows;
	size_t row_room;    /* up to PACKED_MESSAGES_MAX */
	uint32_t rows_full; /* so many are as many as may be, for now */
	uint32_t count;
	uint32_t stamp;	  /* of the batch, for pack_entry.batch */
	uint64_t *values; /* one for each argument; strings: see `bytes` */
	size_t value_count;
	size_t value_room;
	struct render_buffer bytes; /* of strings and long doubles */
	size_t estimate;	    /* bytes of the body */
	size_t most;		    /* that it may become */
	struct pack_clock *clocks;
	size_t clock_count;
	size_t clock_room;
	int level; /* of zstd; 0: by itself */
	bool failed;
	struct pack_columns *columns; /* what is needed to write */
};

/* False: out of memory. */
bool pack_batch_begin(struct pack_batch *batch, int level);

/* So much is in it that it should be written.  Asked before each message, for
 * which it makes room otherwise. */
bool pack_batch_full(struct pack_batch *batch);
/* Nothing more can be put into it, even amid a call, or for want of memory. */
bool pack_batch_over(const struct pack_batch *batch);

/*
 * Adds a message that is in this capture, which has this state, from this site
 * and thread.  Returns how many strings were too long to be kept: 0 but for
 * what no program says.
 */
size_t pack_batch_add(struct pack_batch *batch, const struct message *message,
	uint32_t site, uint32_t thread, uint32_t capture,
	struct pack_capture *state);

/*
 * Writes all messages, of which the first has this number in the log, and
 * empties the batch.  False: out of memory.
 */
bool pack_batch_write(
	struct pack_batch *batch, struct pack_define *define, uint64_t number);

void pack_batch_end(struct pack_batch *batch);

#endif
