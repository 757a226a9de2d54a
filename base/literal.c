#include "base/literal.h"

#include <stdint.h>

#include "base/escape.h"
#include "record/utf8.h"

/* What C has a letter for. */
static char letter_of(char c)
{
	static const char letters[] = "abtnvfr"; /* from \a, 7, on */

	if (c >= '\a' && c <= '\r')
		return letters[c - '\a'];
	return c == '"' || c == '\\' ? c : '\0';
}

static void put_inside(
	struct render_buffer *out, const char *bytes, size_t count)
{
	size_t start = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		char letter = letter_of(bytes[i]);

		if (letter == '\0')
			continue;
		escape_put(out, bytes + start, i - start, ESCAPE_NEWLINE);
		render_buffer_put_byte(out, '\\');
		render_buffer_put_byte(out, letter);
		start = i + 1;
	}
	escape_put(out, bytes + start, count - start, ESCAPE_NEWLINE);
}

void literal_put(struct render_buffer *out, const void *bytes, size_t count)
{
	render_buffer_put_byte(out, '"');
	put_inside(out, bytes, count);
	render_buffer_put_byte(out, '"');
}

void literal_put_start(
	struct render_buffer *out, const char *bytes, size_t count, size_t most)
{
	size_t end = count < most ? count : most;
	size_t whole = end;

	/* It goes on with the character before. */
	while (whole < count && whole > 0 && end - whole < UTF8_MAX &&
		((unsigned char)bytes[whole] & 0xc0) == 0x80)
		whole--;
	literal_put(out, bytes, whole);
	if (whole < count)
		render_buffer_put(out, "...", 3);
}

void literal_put_wide(
	struct render_buffer *out, const void *bytes, size_t count)
{
	const char *at = bytes;
	char encoded[UTF8_MAX];
	uint32_t character;

	render_buffer_put(out, "L\"", 2);
	for (; count >= sizeof(character); count -= sizeof(character)) {
		memcpy(&character, at, sizeof(character));
		put_inside(out, encoded, utf8_put(encoded, character));
		at += sizeof(character);
	}
	render_buffer_put_byte(out, '"');
}
