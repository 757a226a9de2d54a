#include "base/escape.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/utf8_read.h"

static bool is_plain(uint8_t byte)
{
	return (byte >= ' ' && byte < 0x7f) || byte == '\t';
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
	uint32_t character;
	size_t length, i;

	if (bytes[0] == '\n' && indent != ESCAPE_NEWLINE) {
		render_buffer_put_byte(out, '\n');
		render_buffer_fill(out, ' ', indent);
		return 1;
	}
	length = utf8_read((const char *)bytes, size, &character);
	if (character != UTF8_READ_BAD && printable_character(character)) {
		render_buffer_put(out, bytes, length);
		return length;
	}
	for (i = 0; i < length; i++)
		put_escaped(out, bytes[i]);
	return length;
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
	const uint8_t *end = size > 0 ? at + size : at;

	while (at < end) {
		if (!render_buffer_reserve(out, (size_t)(end - at)))
			return;
		at = put_bytes(out, put_words(out, at, end), end);
		if (at < end && !is_plain(*at))
			at += put_special(out, at, (size_t)(end - at), indent);
	}
}
