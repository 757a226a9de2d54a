/*
 * The records of messages, taken apart: the first word, which may say more
 * than the context, and the arguments.  Called by writer_stream.c with what it
 * has of a block; reads through a bounded cursor, and may be asked again with
 * a longer one.  Allocates nothing.
 */
#ifndef DECODER_RECORD_READ_H
#define DECODER_RECORD_READ_H

#include "base/cursor.h"
#include "base/error.h"
#include "decoder/capture/definition.h"
#include "decoder/render/render.h"

struct record_read {
	/* To be set before. */
	bool binary128; /* what a long double of the writer is */
	struct definition_table *definitions;
	struct render_argument *arguments; /* to be filled; they point into */
					   /* the record and definitions */
	/* Of the head. */
	struct definition_context *context;
	size_t least_bytes; /* of the record */
	uint32_t word;	    /* the first */
	uint32_t id;	    /* of the context */
	uint32_t length;    /* of its only argument; 0: not told in `word` */
	bool continues;	    /* a line: has no ticks */
	bool repeats;	    /* the context before; `word` is the string, too */
	/* Of the rest. */
	uint32_t ticks;
	bool misses_string; /* there was no such definition: */
	uint32_t missing_string;
};

/*
 * What the first word says; `last` is the id of the context of the message
 * right before it, `other` that of the last other one in its line; or 0.
 * ERROR_NONE, or why the record cannot be read, and with it the rest of its
 * block; `id` says of which context.
 */
enum error_code record_read_head(
	struct record_read *read, uint32_t word, uint32_t last, uint32_t other);

/* The whole record, of which the cursor is at the first word; afterwards it is
 * behind the last.  False: it ended before. */
bool record_read_rest(struct record_read *read, struct cursor *record);

#endif
