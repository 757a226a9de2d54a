#include "tools/frames/frame_line.h"

#include <ctype.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

size_t frame_line_offset(const char *text, size_t bytes, uint64_t *offset)
{
	size_t begin = bytes;
	size_t i;

	while (begin > 0 && isxdigit((unsigned char)text[begin - 1]))
		begin--;
	if (begin == bytes || begin < 4 || memcmp(text + begin - 3, "+0x", 3))
		return 0;
	*offset = 0;
	for (i = begin; i < bytes; i++) {
		char c = text[i];

		if (*offset >> 60)
			return 0;
		*offset = *offset << 4 |
			  (uint64_t)(is_digit(c) ? c - '0'
						 : (c | ' ') - 'a' + 10);
	}
	return begin - 3;
}

/* The number behind '#', and the blank behind it. */
static bool read_head(
	struct frame_line *frame, const char *line, size_t bytes, size_t *end)
{
	size_t i = 0;

	while (i < bytes && (line[i] == ' ' || line[i] == '\t'))
		i++;
	if (i == bytes || line[i++] != '#')
		return false;
	frame->before_bytes = i;
	while (i < bytes && is_digit(line[i]) && frame->number < UINT32_MAX)
		frame->number =
			frame->number * 10 + (uint64_t)(line[i++] - '0');
	if (i == frame->before_bytes || i == bytes || line[i] != ' ')
		return false;
	frame->before = line;
	frame->behind = line + i;
	*end = i + 1;
	return true;
}

static bool ends_in(const char *text, size_t bytes, const char *end)
{
	size_t length = strlen(end);

	return bytes >= length &&
	       memcmp(text + bytes - length, end, length) == 0;
}

/* `FUNCTION+0xOFFSET in MODULE`; the last such place, as the one that is
 * written last is the file. */
static bool read_function(
	struct frame_line *frame, const char *text, size_t bytes)
{
	static const char in[] = " in ";
	const size_t length = sizeof(in) - 1;
	size_t at;

	for (at = bytes; at > 0; at--) {
		size_t before = at - 1;

		if (bytes - before <= length ||
			memcmp(text + before, in, length) != 0)
			continue;
		frame->function_bytes =
			frame_line_offset(text, before, &frame->offset);
		if (frame->function_bytes == 0)
			continue;
		frame->function = text;
		frame->module = text + before + length;
		frame->module_bytes = bytes - before - length;
		return true;
	}
	return false;
}

bool frame_line_read(struct frame_line *frame, const char *line, size_t bytes)
{
	static const char handed[] = " (hands the text on)";
	const char *end = line + bytes;
	const char *text;
	size_t begin;

	*frame = (struct frame_line){0};
	if (!read_head(frame, line, bytes, &begin))
		return false;
	text = line + begin;
	bytes -= begin;
	if (bytes > 0 && text[bytes - 1] == '\r')
		bytes--;
	if (ends_in(text, bytes, handed))
		bytes -= sizeof(handed) - 1;
	frame->after = text + bytes;
	frame->after_bytes = (size_t)(end - frame->after);
	if (ends_in(text, bytes, " (inlined)") ||
		ends_in(text, bytes, " (tail call)"))
		return true; /* at no address of its own */
	if (!read_function(frame, text, bytes)) {
		frame->module_bytes =
			frame_line_offset(text, bytes, &frame->offset);
		frame->module = frame->module_bytes > 0 ? text : NULL;
	}
	return true;
}
