#include "decoder/pack/pack_value.h"

#include <msgpack.h>
#include <stdbool.h>

static int append(void *closure, const char *bytes, size_t size)
{
	render_buffer_put(closure, bytes, size);
	return 0;
}

static msgpack_packer packer_to(struct render_buffer *out)
{
	msgpack_packer packer;

	msgpack_packer_init(&packer, out, append);
	return packer;
}

void pack_value_nil(struct render_buffer *out)
{
	msgpack_packer packer = packer_to(out);

	msgpack_pack_nil(&packer);
}

void pack_value_uint(struct render_buffer *out, uint64_t value)
{
	msgpack_packer packer = packer_to(out);

	msgpack_pack_uint64(&packer, value);
}

void pack_value_int(struct render_buffer *out, int64_t value)
{
	msgpack_packer packer = packer_to(out);

	msgpack_pack_int64(&packer, value);
}

void pack_value_double(struct render_buffer *out, double value)
{
	msgpack_packer packer = packer_to(out);

	msgpack_pack_double(&packer, value);
}

void pack_value_array(struct render_buffer *out, size_t count)
{
	msgpack_packer packer = packer_to(out);

	msgpack_pack_array(&packer, count);
}

void pack_value_map(struct render_buffer *out, size_t count)
{
	msgpack_packer packer = packer_to(out);

	msgpack_pack_map(&packer, count);
}

/* How many bytes follow the first one of a character; -1: none begins so. */
static int tail_of(uint8_t first)
{
	return first < 0x80   ? 0
	       : first < 0xc2 ? -1
	       : first < 0xe0 ? 1
	       : first < 0xf0 ? 2
	       : first < 0xf5 ? 3
			      : -1;
}

/* Neither longer than need be, nor a surrogate, nor beyond the last. */
static bool is_second(uint8_t first, uint8_t second)
{
	return second >= (first == 0xe0		 ? 0xa0
				 : first == 0xf0 ? 0x90
						 : 0x80) &&
	       second <= (first == 0xed		 ? 0x9f
				 : first == 0xf4 ? 0x8f
						 : 0xbf);
}

static bool is_utf8(const uint8_t *bytes, size_t size)
{
	size_t i = 0;

	while (i < size) {
		uint8_t first = bytes[i++];
		int tail = tail_of(first);
		int k;

		if (tail < 0 || size - i < (size_t)tail)
			return false;
		if (tail > 0 && !is_second(first, bytes[i]))
			return false;
		for (k = 1; k < tail; k++)
			if ((bytes[i + (size_t)k] & 0xc0) != 0x80)
				return false;
		i += (size_t)tail;
	}
	return true;
}

void pack_value_text(struct render_buffer *out, const void *bytes, size_t size)
{
	msgpack_packer packer = packer_to(out);

	if (!is_utf8(bytes, size))
		pack_value_binary(out, bytes, size);
	else
		msgpack_pack_str_with_body(&packer, bytes, size);
}

void pack_value_binary(
	struct render_buffer *out, const void *bytes, size_t size)
{
	msgpack_packer packer = packer_to(out);

	msgpack_pack_bin_with_body(&packer, bytes, size);
}
