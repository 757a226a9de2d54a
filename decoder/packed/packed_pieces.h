/*
 * A batch whose frame is damaged, by what the PIECES behind it says: which of
 * its bytes are whole, and its body as far as these can be inflated.  Driven by
 * the reader; the messages are made by packed_body.h.
 */
#ifndef DECODER_PACKED_PIECES_H
#define DECODER_PACKED_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/packed/packed_reader.h"
#include "decoder/packed/packed_record.h"

/* In the body a column begins that has this number: those that all messages
 * have from 0 on, then those of sites, then texts. */
struct packed_start {
	uint32_t column;
	uint32_t at;
};

/* All zeros before the first use. */
struct packed_pieces {
	/* What the record says: */
	uint64_t number;
	uint32_t count;
	uint64_t first;
	uint64_t last;
	uint64_t bytes; /* of the batch's frame, which ends where it begins */
	/* What packed_pieces_read() finds: */
	bool headed;		     /* `record` is known but for its body */
	struct packed_record record; /* of the batch */
	uint8_t *frame;
	uint8_t *body;	/* inflated, */
	uint8_t *whole; /* and of each byte whether it is; else it is 0 */
	size_t body_bytes;
	struct packed_start *starts;
	size_t start_count;
	bool texts;	 /* there are some behind all columns, */
	uint32_t *apart; /* but of these columns of sites, from 0 on */
	size_t apart_count;
	uint64_t *ticks; /* of the last message before each mark */
	size_t tick_count;
};

/* The numbers alone.  False: they make no sense. */
bool packed_pieces_told(
	struct packed_pieces *pieces, const struct packed_record *record);

/*
 * Looks at the bytes before `offset` of the file, which is where the record's
 * frame begins.  False: nothing can be done with them.
 */
bool packed_pieces_read(struct packed_pieces *pieces,
	const struct packed_record *record, struct packed_file *file,
	uint64_t offset);

/*
 * Calls `tell` for each piece of a batch's frame, `bytes` at `frame`, that is
 * not whole.  False: the record is about another one, or makes no sense.
 */
bool packed_pieces_damaged(const struct packed_record *record,
	const uint8_t *frame, uint64_t bytes,
	void (*tell)(void *closure, size_t begin, size_t end), void *closure);

/* All but the numbers. */
void packed_pieces_free(struct packed_pieces *pieces);

#endif
