/*
 * The messages of a batch.  Driven by the reader: resolve, then perhaps ask a
 * filter, then decode, then next until there are no more.  What is the same
 * for many messages is looked up once for the batch; a message costs its
 * columns and little else.  Memory is used again for the next batch.
 */
#ifndef DECODER_PACKED_BODY_H
#define DECODER_PACKED_BODY_H

#include "decoder/packed/column_strings.h"
#include "decoder/packed/packed_batch.h"
#include "decoder/packed/packed_index.h"

struct packed_body_row;
struct packed_body_clock;

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
	struct column_store store;
	struct column site;
	struct column writer;
	struct column ticks;
	struct column wall;
	struct column continues;
	size_t next_clock;
	uint32_t at;   /* of the next message */
	uint32_t left; /* that are not read yet */
	uint32_t last_writer;
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

/* The next wanted message, valid until the next call.  Null: that was all. */
const struct message *packed_body_next(struct packed_body *body);

void packed_body_free(struct packed_body *body);

#endif
