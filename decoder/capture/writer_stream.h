/*
 * The records of one writer, block after block, as messages in the order of
 * its calls.  Driven by the merge; keeps what the writer has defined so far
 * and a small window of the current block, so many writers may be open at
 * once.  Damage costs the rest of one block and is reported to the capture.
 */
#ifndef DECODER_WRITER_STREAM_H
#define DECODER_WRITER_STREAM_H

#include "decoder/capture/message.h"
#include "decoder/capture/recording.h"
#include "decoder/capture/wall_clock.h"

enum writer_state {
	WRITER_BETWEEN, /* before a block that is not read yet; `ticks` is */
			/* that of its start */
	WRITER_MESSAGE, /* `message` is the next one */
	WRITER_WAITS,	/* a live one: all that is there was read */
	WRITER_END
};

/* Is told of each control record that is read but for those of the clock. */
typedef void writer_stream_keep(void *keeper, const void *record, size_t size);

/* Who has created a thread that the writer serves. */
struct writer_origin {
	uint32_t tid;
	uint32_t room; /* of those that are known */
	struct message_origin known;
};

struct writer_stream {
	enum writer_state state;
	uint64_t ticks; /* of what comes next; never decreases */
	uint64_t wall;	/* likewise in nanoseconds */
	struct message message;
	struct message_place place; /* of it */
	/* The rest is its own. */
	size_t argument_room; /* for those of the message */
	struct recording *capture;
	struct wall_clock *clock;
	const struct recording_block *block; /* current or next one */
	const struct recording_block *blocks_end;
	struct definition_table definitions;
	struct program *program;
	uint32_t tid;
	char thread[17]; /* ends in NUL */
	/* Of its thread; in a ring of each that it has served, by tid. */
	struct writer_origin *origin; /* the latest; null: none yet */
	struct id_map origins;
	struct binlog_anchor anchor; /* the latest */
	struct wall_segment segment;
	uint64_t least_wall; /* of the next message */
	uint8_t *window;
	size_t window_room;
	size_t window_bytes; /* that were read into it */
	size_t window_at;    /* of the next record */
	bool window_open; /* the block was still written to when it was read */
	uint32_t window_end; /* in the block: how far was read */
	uint32_t block_end;  /* bytes of the block that the file has */
	uint32_t next_sequence;
	uint32_t last_context;	/* of the message before in this block, or 0 */
	uint32_t other_context; /* the last other one in its line, or 0 */
	bool partial;		/* the last message was */
	bool lacks;		/* no memory for what was defined; told */
	bool live;		/* the last block may still be written to */
	writer_stream_keep *keep; /* null: nobody */
	void *keeper;
	uint32_t last_start; /* in the block: of the record before, */
	uint8_t last[16];    /* and how it began, while waiting: */
	uint32_t last_bytes; /* so many of it are in `last` */
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

/*
 * The same of a capture that grows, before the writer's first block is known:
 * in WRITER_WAITS, and there again whenever there is nothing more.
 */
void writer_stream_begin_live(struct writer_stream *stream,
	struct recording *capture, struct wall_clock *clock);

/*
 * The blocks of a live stream have moved or have become more: `blocks` has the
 * one that it is in, or that comes next.  Not `live` any more: no others will
 * come, and nobody writes to the last one.
 */
void writer_stream_extend(struct writer_stream *stream,
	const struct recording_block *blocks, size_t count, bool live);

/*
 * A control record that was kept, of that process, as if it were read.  Before
 * the first block.
 */
void writer_stream_recall(struct writer_stream *stream, uint32_t pid,
	uint32_t process, const void *record, size_t size);

/* Where in its block what comes next begins; 0: it is in none. */
uint32_t writer_stream_position(const struct writer_stream *stream);

/* It has ended: what messages may have pointed to stays, and nothing else. */
void writer_stream_settle(struct writer_stream *stream);

/* Frees what the stream owns. */
void writer_stream_end(struct writer_stream *stream);

#endif
