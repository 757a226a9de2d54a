#include "base/utf8_text.h"

#include "base/utf8_read.h"

static void put_escaped(
	struct render_buffer *out, const char *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < size; i++) {
		uint8_t byte = (uint8_t)bytes[i];
		const char escaped[] = {
			'\\', 'x', digits[byte >> 4], digits[byte & 15]};

		render_buffer_put(out, escaped, sizeof(escaped));
	}
}

void utf8_text_put(struct render_buffer *out, const char *bytes, size_t size)
{
	size_t begin = 0; /* of what is good */
	size_t at = 0;
	uint32_t character;

	while (at < size) {
		size_t length = utf8_read(bytes + at, size - at, &character);

		if (character == UTF8_READ_BAD || character == 0) {
			render_buffer_put(out, bytes + begin, at - begin);
			put_escaped(out, bytes + at, length);
			begin = at + length;
		}
		at += length;
	}
	if (begin < at)
		render_buffer_put(out, bytes + begin, at - begin);
}

size_t utf8_text_fit(const char *bytes, size_t size, size_t most)
{
	if (size <= most)
		return size;
	while (most > 0 && ((uint8_t)bytes[most] & 0xc0) == 0x80)
		most--;
	return most;
}
