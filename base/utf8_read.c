#include "base/utf8_read.h"

#include <string.h>

/*
 * Text for formats in which it has to be UTF-8 and may end at a NUL.  Used by
 * the exports of such formats; promises to lose nothing: bytes that are not
 * come as \xNN, as binlog-show has them.
 */

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

/* How many bytes follow the first one; 0: it begins no character. */
static size_t followers(uint8_t first)
{
	if (first >= 0xc2 && first < 0xe0)
		return 1;
	if (first >= 0xe0 && first < 0xf0)
		return 2;
	return first >= 0xf0 && first < 0xf5 ? 3 : 0;
}

size_t utf8_read(const char *bytes, size_t size, uint32_t *character)
{
	uint8_t first = (uint8_t)bytes[0];
	size_t more = followers(first);
	/* The second byte tells what could be written shorter, surrogates, */
	/* and what is beyond U+10FFFF. */
	uint8_t least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	uint8_t most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
	uint32_t value;
	size_t i;

	*character = UTF8_READ_BAD;
	if (first < 0x80) {
		*character = first;
		return 1;
	}
	if (more == 0)
		return 1;
	value = first & (0x3fu >> more);
	for (i = 1; i <= more; i++) {
		if (i == size || (uint8_t)bytes[i] < least ||
			(uint8_t)bytes[i] > most)
			return i;
		value = value << 6 | ((uint8_t)bytes[i] & 0x3fu);
		least = 0x80;
		most = 0xbf;
	}
	*character = value;
	return i;
}

/* How many bytes from there on are ASCII. */
static size_t skip_ascii(const char *bytes, size_t size)
{
	uint64_t word;
	size_t at = 0;

	for (; size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		if (word & UINT64_MAX / 255 * 0x80)
			break;
	}
	while (at < size && (uint8_t)bytes[at] < 0x80)
		at++;
	return at;
}

bool utf8_read_is_good(const char *bytes, size_t size)
{
	size_t at = skip_ascii(bytes, size);
	uint32_t character;

	while (at < size) {
		at += utf8_read(bytes + at, size - at, &character);
		if (character == UTF8_READ_BAD)
			return false;
		at += skip_ascii(bytes + at, size - at);
	}
	return true;
}
