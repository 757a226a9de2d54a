/*
 * The simplest encodings of a column of numbers (record/packed.h): CONSTANT,
 * PLANES and PATCHED; which of them takes the least, and about how much that
 * will be once it is compressed.  Used by column_write.c, which puts others
 * around them.
 */
#ifndef DECODER_COLUMN_SHAPE_H
#define DECODER_COLUMN_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"
#include "record/packed.h"

struct column_shape {
	enum packed_column kind;
	unsigned width;
	uint64_t base; /* also the CONSTANT */
	size_t exceptions;
	unsigned exception_bytes; /* about what one takes */
	size_t cost;		  /* bytes, about, before compression */
};

/* For `count` values, at least 1; both take a few passes over them. */
struct column_shape column_shape_of(const uint64_t *values, size_t count);
size_t column_shape_estimate(
	const struct column_shape *shape, const uint64_t *values, size_t count);

void column_shape_put(const struct column_shape *shape,
	struct render_buffer *out, const uint64_t *values, size_t count);

/* Appends LEB128; a signed number is zigzagged before. */
void column_shape_put_number(struct render_buffer *out, uint64_t number);
void column_shape_put_signed(struct render_buffer *out, uint64_t number);

/* Bytes that are needed for numbers from 0 to `range`. */
static inline unsigned column_shape_width(uint64_t range)
{
	return range == 0 ? 0 : (71u - (unsigned)__builtin_clzll(range)) / 8;
}

#endif
