#include "decoder/escape.h"

#include <stdbool.h>
#include <stdint.h>

static bool is_plain(uint8_t byte)
{
	return (byte >= ' ' && byte < 0x7f) || byte == '\t';
}

static bool is_continuation(const uint8_t *bytes, size_t size, size_t index)
{
	return index < size && (bytes[index] & 0xc0) == 0x80;
}

/* The length of the UTF-8 character at `bytes`; 0: it is none. */
static size_t decode(const uint8_t *bytes, size_t size, uint32_t *character)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length, i;

	if (bytes[0] >= 0xc2 && bytes[0] < 0xe0)
		length = 2;
	else if (bytes[0] >= 0xe0 && bytes[0] < 0xf0)
		length = 3;
	else if (bytes[0] >= 0xf0 && bytes[0] < 0xf5)
		length = 4;
	else
		return 0;
	*character = bytes[0] & (0x7fu >> length);
	for (i = 1; i < length; i++) {
		if (!is_continuation(bytes, size, i))
			return 0;
		*character = *character << 6 | (bytes[i] & 0x3fu);
	}
	if (*character < least[length] || *character > 0x10ffff ||
		(*character >= 0xd800 && *character < 0xe000))
		return 0;
	return length;
}

static bool is_harmless(uint32_t character)
{
	return character >= 0xa0 && character != 0x061c &&   /* ALM */
	       character != 0x200e && character != 0x200f && /* LRM RLM */
	       (character < 0x2028 || character > 0x202e) && /* LS to RLO */
	       (character < 0x2066 || character > 0x2069);   /* isolates */
}

static void put_escaped(struct render_buffer *out, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	const char escaped[] = {
		'\\', 'x', digits[byte >> 4], digits[byte & 15]};

	render_buffer_put(out, escaped, sizeof(escaped));
}

/* One character that is not plain; returns how many bytes it has. */
static size_t put_special(struct render_buffer *out, const uint8_t *bytes,
	size_t size, size_t indent)
{
	uint32_t character = 0;
	size_t length, i;

	if (bytes[0] == '\n' && indent != ESCAPE_NEWLINE) {
		render_buffer_put_byte(out, '\n');
		render_buffer_fill(out, ' ', indent);
		return 1;
	}
	length = decode(bytes, size, &character);
	if (length > 0 && is_harmless(character)) {
		render_buffer_put(out, bytes, length);
		return length;
	}
	for (i = 0; i == 0 || i < length; i++)
		put_escaped(out, bytes[i]);
	return i;
}

/* Whether all of its bytes are plain, tabs left out. */
static bool is_plain_word(uint64_t word)
{
	const uint64_t ones = UINT64_MAX / 255;

	/* Above the highest bit, what becomes it by 1, and what is below ' '.
	 */
	return ((word | (word + ones) | (word - ones * ' ')) & ones * 0x80) ==
	       0;
}

/*
 * Appends words of plain bytes, the last of which may overlap with the one
 * before it; returns where the first other one is.
 */
static const uint8_t *put_words(
	struct render_buffer *out, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *begin = at;
	char *to = out->data + out->length;
	uint64_t word;
	size_t left;

	for (; (size_t)(end - at) >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (!is_plain_word(word))
			break;
		memcpy(to, &word, sizeof(word));
		to += sizeof(word);
	}
	left = (size_t)(end - at);
	if (at > begin && left < sizeof(word)) {
		memcpy(&word, end - sizeof(word), sizeof(word));
		if (is_plain_word(word)) {
			memcpy(to + left - sizeof(word), &word, sizeof(word));
			to += left;
			at = end;
		}
	}
	out->length = (size_t)(to - out->data);
	return at;
}

/* What is in the way of words: appends plain bytes, less than two words. */
static const uint8_t *put_bytes(
	struct render_buffer *out, const uint8_t *at, const uint8_t *end)
{
	char *to = out->data + out->length;

	if (end - at > 15)
		end = at + 15;
	while (at < end && is_plain(*at))
		*to++ = (char)*at++;
	out->length = (size_t)(to - out->data);
	return at;
}

void escape_put(struct render_buffer *out, const char *bytes, size_t size,
	size_t indent)
{
	const uint8_t *at = (const uint8_t *)bytes;
	const uint8_t *end = at + size;

	while (at < end) {
		if (!render_buffer_reserve(out, (size_t)(end - at)))
			return;
		at = put_bytes(out, put_words(out, at, end), end);
		if (at < end && !is_plain(*at))
			at += put_special(out, at, (size_t)(end - at), indent);
	}
}
