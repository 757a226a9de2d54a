/*
 * Single values of MessagePack, appended to a buffer.  Used by whatever writes
 * packed logs; nothing else there knows msgpack-c.  Appending never fails
 * halfway: see render_buffer.h.
 */
#ifndef DECODER_PACK_VALUE_H
#define DECODER_PACK_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"

void pack_value_nil(struct render_buffer *out);
void pack_value_uint(struct render_buffer *out, uint64_t value);
void pack_value_int(struct render_buffer *out, int64_t value);
void pack_value_double(struct render_buffer *out, double value);

/* What follows: so many values, or twice as many. */
void pack_value_array(struct render_buffer *out, size_t count);
void pack_value_map(struct render_buffer *out, size_t count);

/* A string if it is valid UTF-8, else binary. */
void pack_value_text(struct render_buffer *out, const void *bytes, size_t size);
void pack_value_binary(
	struct render_buffer *out, const void *bytes, size_t size);

#endif
