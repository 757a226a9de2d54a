/*
 * The wire format of Protocol Buffers, as far as it takes to write messages.
 * Used by the style perfetto; a field is a number and a value, and a message
 * in a message is begun and ended.
 */
#ifndef DECODER_PROTO_WRITE_H
#define DECODER_PROTO_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"

/* uint32, uint64, enum and bool. */
void proto_write_unsigned(
	struct render_buffer *out, uint32_t field, uint64_t value);

/* int32 and int64. */
void proto_write_integer(
	struct render_buffer *out, uint32_t field, int64_t value);

void proto_write_double(
	struct render_buffer *out, uint32_t field, double value);

/* string: NUL and what is not UTF-8 as \xNN. */
void proto_write_text(struct render_buffer *out, uint32_t field,
	const char *text, size_t size);

/* Of one that ends in NUL. */
void proto_write_word(
	struct render_buffer *out, uint32_t field, const char *word);

/* What is written until the end is in the field; returns what that takes. */
size_t proto_write_begin(struct render_buffer *out, uint32_t field);
void proto_write_end(struct render_buffer *out, size_t begin);

#endif
