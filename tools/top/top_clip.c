#include "tools/top/top_clip.h"

#include "base/text_width.h"

#define TAB 8u

/* Of the character that begins the text. */
static size_t count_bytes(const char *text, size_t size)
{
	size_t bytes = 1;

	while (bytes < size && ((unsigned char)text[bytes] & 0xc0) == 0x80)
		bytes++;
	return bytes;
}

void top_clip(
	struct render_buffer *out, const char *text, size_t size, size_t width)
{
	size_t column = 0;
	size_t bytes;
	size_t i;

	for (i = 0; i < size; i += bytes) {
		size_t columns;

		bytes = count_bytes(text + i, size - i);
		columns = text[i] == '\t' ? TAB - column % TAB
					  : text_width(text + i, bytes);
		if (columns > width - column)
			return;
		if (text[i] == '\t')
			render_buffer_fill(out, ' ', columns);
		else
			render_buffer_put(out, text + i, bytes);
		column += columns;
	}
}
