/*
 * Columns of numbers that are made of the same phrases (PHRASES of
 * record/packed.h): the messages that make a line are often those of another
 * line.  Used by pack_batch.c for the sites of messages.
 */
#ifndef DECODER_COLUMN_PHRASES_H
#define DECODER_COLUMN_PHRASES_H

#include "decoder/pack/column_write.h"

/*
 * As column_write_numbers(); phrases begin where starts[i] is true, if that is
 * less.
 */
void column_phrases_write(struct column_write *writer,
	struct render_buffer *out, const uint64_t *values, size_t count,
	const bool *starts, struct pack_choice *choice);

#endif
