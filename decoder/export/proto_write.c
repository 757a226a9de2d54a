#include "decoder/export/proto_write.h"

#include <string.h>

#include "base/utf8_read.h"

#define VARINT_MAX 10u /* bytes of 64 bits */

enum wire { WIRE_VARINT = 0, WIRE_64_BITS = 1, WIRE_LENGTH = 2 };

static size_t make_varint(char to[VARINT_MAX], uint64_t value)
{
	size_t bytes = 0;

	for (; value > 0x7f; value >>= 7)
		to[bytes++] = (char)(value | 0x80);
	to[bytes++] = (char)value;
	return bytes;
}

static void put_varint(struct render_buffer *out, uint64_t value)
{
	if (!render_buffer_reserve(out, VARINT_MAX))
		return;
	out->length += make_varint(out->data + out->length, value);
}

static void put_tag(struct render_buffer *out, uint32_t field, enum wire wire)
{
	put_varint(out, (uint64_t)field << 3 | wire);
}

void proto_write_unsigned(
	struct render_buffer *out, uint32_t field, uint64_t value)
{
	put_tag(out, field, WIRE_VARINT);
	put_varint(out, value);
}

void proto_write_integer(
	struct render_buffer *out, uint32_t field, int64_t value)
{
	proto_write_unsigned(out, field, (uint64_t)value);
}

void proto_write_double(struct render_buffer *out, uint32_t field, double value)
{
	put_tag(out, field, WIRE_64_BITS);
	render_buffer_put(out, &value, sizeof(value));
}

void proto_write_text(struct render_buffer *out, uint32_t field,
	const char *text, size_t size)
{
	size_t begin = proto_write_begin(out, field);

	utf8_text_put(out, text, size);
	proto_write_end(out, begin);
}

void proto_write_word(
	struct render_buffer *out, uint32_t field, const char *word)
{
	proto_write_text(out, field, word, strlen(word));
}

/* Most are short: one byte is left for the length. */
size_t proto_write_begin(struct render_buffer *out, uint32_t field)
{
	put_tag(out, field, WIRE_LENGTH);
	render_buffer_put_byte(out, 0);
	return out->length;
}

void proto_write_end(struct render_buffer *out, size_t begin)
{
	char length[VARINT_MAX];
	size_t bytes, more;

	if (out->failed)
		return;
	bytes = out->length - begin;
	more = make_varint(length, bytes) - 1;
	if (!render_buffer_reserve(out, more))
		return;
	if (more > 0)
		memmove(out->data + begin + more, out->data + begin, bytes);
	memcpy(out->data + begin - 1, length, more + 1);
	out->length += more;
}
