/*
 * The records of one writer, block after block, as messages in the order of
 * its calls.  Driven by the merge; keeps what the writer has defined so far
 * and a small window of the current block, so many writers may be open at
 * once.  Damage costs the rest of one block and is reported to the capture.
 */
#ifndef DECODER_WRITER_STREAM_H
#define DECODER_WRITER_STREAM_H

#include "decoder/recording.h"
#include "decoder/message.h"
#include "decoder/wall_clock.h"

enum writer_state {
	WRITER_BETWEEN, /* before a block that is not read yet; `ticks` is */
			/* that of its start */
	WRITER_MESSAGE, /* `message` is the next one */
	WRITER_END
};

struct writer_stream {
	enum writer_state state;
	uint64_t ticks; /* of what comes next; never decreases */
	uint64_t wall;	/* likewise in nanoseconds */
	struct message message;
	/* The rest is its own. */
	struct recording *capture;
	struct wall_clock *clock;
	const struct recording_block *block; /* current or next one */
	const struct recording_block *blocks_end;
	struct definition_table definitions;
	struct program *program;
	uint32_t tid;
	char thread[17];	     /* ends in NUL */
	struct binlog_anchor anchor; /* the latest */
	struct wall_segment segment;
	uint64_t least_wall; /* of the next message */
	uint8_t *window;
	size_t window_room;
	size_t window_bytes; /* that were read into it */
	size_t window_at;    /* of the next record */
	uint32_t window_end; /* in the block: how far was read */
	uint32_t block_end;  /* bytes of the block that the file has */
	uint32_t next_sequence;
	uint32_t last_context;	/* of the message before in this block, or 0 */
	uint32_t other_context; /* the last other one in its line, or 0 */
	bool partial;		/* the last message was */
};

/*
 * Sets the stream up before the first of `count` blocks, which are all of one
 * writer, at least one, and stay the capture's.  Reads nothing yet.
 */
void writer_stream_begin(struct writer_stream *stream,
	struct recording *capture, struct wall_clock *clock,
	const struct recording_block *blocks, size_t count);

/*
 * Steps to the next message, to the end of the current block, or to the end;
 * see `state`.  What `message` pointed to is gone.
 */
void writer_stream_step(struct writer_stream *stream);

/* Frees what the stream owns. */
void writer_stream_end(struct writer_stream *stream);

#endif
