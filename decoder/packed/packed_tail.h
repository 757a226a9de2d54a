/*
 * The end of a packed log, for who asks for the last messages: looked for from
 * the end of the file backwards, frame by frame, past the bodies of batches, so
 * that it takes no longer for a large log.  A part of a log can be read without
 * those before, so reading begins with the part that the first of these
 * messages is in, and passes over the batches before it.  Made by source.h,
 * used by the reader of packed logs.
 */
#ifndef DECODER_PACKED_TAIL_H
#define DECODER_PACKED_TAIL_H

#include "decoder/packed/packed_reader.h"

/* Frames in a row: a batch with its PIECES, or DATA. */
struct packed_run {
	uint64_t offset;
	uint64_t bytes;
	uint64_t log;
	uint64_t part;
	uint64_t number; /* of its first message in the log */
	uint64_t count;
	uint64_t first; /* the earliest of their times, */
	uint64_t last;	/* and the latest */
};

struct packed_tail {
	uint64_t begin;		 /* where a reader begins */
	uint64_t size;		 /* of the file */
	uint64_t at;		 /* the frames from here on are known */
	struct packed_run *runs; /* of messages, the last one first */
	size_t count;
	size_t wanted;	   /* so many of them; others are passed over */
	uint64_t messages; /* in these */
	/* The rest is its own. */
	struct packed_file file;
	struct packed_record record;
	uint64_t told; /* messages of the log, by its END; 0: it has none */
	bool hole;     /* behind the last run, something is not whole */
	size_t room;
	size_t part_first; /* of the part before `at`: which run is its last */
	bool in_part;	   /* some of its frames are known: */
	uint64_t log;
	uint64_t part;
	uint64_t credit; /* bytes that may be summed up for nothing */
	uint8_t *window;
	size_t window_room;
	uint64_t window_begin; /* what of the file is in it */
	uint64_t window_end;
};

/* Of the log at `path`, which is borrowed; nothing is wanted of it yet.  Null:
 * it cannot be read from its end, or there is no memory. */
struct packed_tail *packed_tail_new(const char *path);

/* When the last messages of the log were, nanoseconds since 1970.  0: it is not
 * known.  UINT64_MAX: messages are missing at its end, or may be, so that it has
 * to be read whatever the time, to tell of them. */
uint64_t packed_tail_last(struct packed_tail *tail);

/*
 * Wants more: at least so many messages, 1 or more, and all of `since`
 * (likewise) and later, as far as times increase.  False: where these begin
 * cannot be found out, and it is of no use any more.
 */
bool packed_tail_want(
	struct packed_tail *tail, uint64_t messages, uint64_t since);

/* All messages are wanted. */
bool packed_tail_is_all(const struct packed_tail *tail);

/* Null is fine. */
void packed_tail_free(struct packed_tail *tail);

#endif
