#include "tools/top/top_clip.h"

#include <wchar.h>

#define TAB 8u

/* Columns of the character that begins at `text`, and its bytes. */
static size_t measure(
	const char *text, size_t size, size_t column, size_t *bytes)
{
	mbstate_t state = {0};
	wchar_t c;
	size_t length = mbrtowc(&c, text, size, &state);
	int columns;

	*bytes = 1;
	if (*text == '\t')
		return TAB - column % TAB;
	if (length == 0 || length > size)
		return 1;
	*bytes = length;
	columns = wcwidth(c);
	return columns < 0 ? 1 : (size_t)columns;
}

void top_clip(
	struct render_buffer *out, const char *text, size_t size, size_t width)
{
	size_t column = 0;
	size_t bytes;
	size_t i;

	for (i = 0; i < size; i += bytes) {
		size_t columns = measure(text + i, size - i, column, &bytes);

		if (columns > width - column)
			return;
		if (text[i] == '\t')
			render_buffer_fill(out, ' ', columns);
		else
			render_buffer_put(out, text + i, bytes);
		column += columns;
	}
}
