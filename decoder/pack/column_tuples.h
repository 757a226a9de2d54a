/*
 * Columns of numbers of which a few are very common, as PHRASES of a few values
 * each (record/packed.h): a code for bytes takes one bit at least, and so for
 * all values of a phrase together.  Used by pack_columns.c for the time between
 * messages.
 */
#ifndef DECODER_COLUMN_TUPLES_H
#define DECODER_COLUMN_TUPLES_H

#include "decoder/pack/column_write.h"

/*
 * How many values of each phrase take the least, as far as that can be told
 * quickly; 0: it is not worth while, or there is no memory.
 */
unsigned column_tuples_best(
	struct column_write *writer, const uint64_t *values, size_t count);

/*
 * Appends the column with phrases of so many.  False, and nothing is appended:
 * too many of them are different, or no memory.
 */
bool column_tuples_write(struct column_write *writer, struct render_buffer *out,
	const uint64_t *values, size_t count, unsigned length);

#endif
