/*
 * Columns of doubles of a batch: those that were decimal fractions take what
 * their digits take (DECIMAL of record/packed.h).  Used by pack_batch.c.
 */
#ifndef DECODER_COLUMN_DOUBLES_H
#define DECODER_COLUMN_DOUBLES_H

#include "decoder/pack/column_write.h"

/* As column_write_numbers(), of the bits of doubles. */
void column_doubles_write(struct column_write *writer,
	struct render_buffer *out, const uint64_t *values, size_t count);

#endif
