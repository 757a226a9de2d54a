/*
 * The messages of a batch.  Driven by the reader: resolve, then perhaps ask a
 * filter, then decode, then next until there are no more.  What is the same
 * for many messages is looked up once for the batch; a message costs its
 * columns and little else.  Memory is used again for the next batch.
 */
#ifndef DECODER_PACKED_BODY_H
#define DECODER_PACKED_BODY_H

#include "decoder/capture/wall_clock.h"
#include "decoder/packed/column_strings.h"
#include "decoder/packed/packed_batch.h"
#include "decoder/packed/packed_inflate.h"
#include "decoder/packed/packed_log.h"

struct packed_index_writer {
	uint32_t thread; /* ids in the log */
	uint32_t capture;
	uint32_t process;
	uint32_t pid;
	uint32_t tid;
	uint32_t messages;
};

/* From message `from` of the batch on, this is its capture's. */
struct packed_clock {
	uint32_t capture;
	uint32_t from;
	struct wall_segment segment;
};

/* From message `from` of the batch on, this writer is on that core. */
struct packed_core {
	uint32_t writer;
	uint32_t from;
	uint32_t core; /* one more than its number; 0: not known */
};

/* All zeros before the first use. */
struct packed_index {
	uint64_t number; /* of the BATCH record */
	uint32_t count;
	uint64_t first;
	uint64_t last;
	struct packed_row *rows;
	size_t row_count;
	size_t row_room;
	struct packed_index_writer *writers;
	size_t writer_count;
	size_t writer_room;
	struct packed_clock *clocks; /* by `from` */
	size_t clock_count;
	size_t clock_room;
	struct packed_core *cores; /* by `from` */
	size_t core_count;
	size_t core_room;
	struct packed_buffer bytes;
	msgpack_zone *zone;
};

/*
 * Takes a BATCH's numbers and its index; modules that are not defined become
 * so in the log.  False: it makes no sense, or there is no memory.
 */
bool packed_index_read(struct packed_index *index, struct packed_log *log,
	const struct packed_record *batch, struct packed_inflate *inflate);

/* Gives back what is only needed for reading. */
void packed_index_spare(struct packed_index *index);

void packed_index_free(struct packed_index *index);

struct packed_body_row;
struct packed_body_clock;

/* A column whose strings are behind all columns. */
struct packed_body_text {
	uint32_t row;
	uint32_t argument;
};

/* All zeros before the first use. */
struct packed_body {
	struct packed_batch batch; /* for filters */
	struct packed_log *log;
	const struct packed_index *index;
	struct packed_site *sites;
	struct packed_writer *writers;
	struct packed_process **processes;    /* of the writers */
	struct packed_body_clock **clocks_of; /* of the writers' captures */
	struct packed_body_clock *clocks;
	struct id_map of_captures; /* these clocks */
	struct packed_body_row *rows;
	size_t row_room;
	size_t writer_room;
	struct packed_buffer bytes;
	struct packed_body_text *texts; /* of the rows, in their order */
	size_t text_count;
	size_t text_room;
	struct column_store store;
	struct column site;
	struct column writer;
	struct column ticks;
	struct column wall;
	struct column continues;
	size_t next_clock;
	uint32_t *cores; /* of the writers, at the next message */
	size_t next_core;
	uint32_t at;   /* of the next message */
	uint32_t left; /* that are not read yet */
	uint32_t last_writer;
	const uint8_t *lost; /* of each message; null: all are there */
	struct message message;
	struct render_argument arguments[FORMAT_KINDS_MAX]; /* its */
};

/*
 * Finds out who and what is in the batch that the index is of, and fills
 * `batch`.  The index stays the caller's until all messages are read; `offset`
 * is where the batch is, for errors.  False: out of memory.
 */
bool packed_body_resolve(struct packed_body *body, struct packed_log *log,
	const struct packed_index *index, uint64_t offset);

/* Decodes the columns of the sites that are wanted.  False: damaged, or out
 * of memory; there are no messages. */
bool packed_body_decode(struct packed_body *body,
	const struct packed_record *record, struct packed_inflate *inflate);

/* The columns have been filled: the first message is the next one. */
void packed_body_begin(struct packed_body *body);

/* The next wanted message, valid until the next call.  Null: that was all. */
const struct message *packed_body_next(struct packed_body *body);

void packed_body_free(struct packed_body *body);

union packed_body_column {
	struct column numbers;
	struct column_strings strings;
};

struct packed_body_row {
	struct definition_context *context; /* of this process: */
	const struct packed_process *process;
	union packed_body_column *columns; /* of the arguments */
};

/* That of a capture; all zeros until it is told. */
struct packed_body_clock {
	struct wall_segment segment;
	bool told;
};

/* Before the message at `at`: its clocks. */
void packed_body_turn_clocks(struct packed_body *body);

static inline uint64_t packed_body_clock_time(
	const struct packed_body_clock *clock, uint64_t ticks)
{
	return clock->told ? wall_segment_time(&clock->segment, ticks) : 0;
}

#endif
