#include "base/text_width.h"

#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

#include "base/link.h"

static bool is_ascii(const char *text, size_t bytes)
{
	unsigned char all = 0;
	size_t i;

	for (i = 0; i < bytes; i++)
		all |= (unsigned char)text[i];
	return all < 0x80;
}

/* Null: it is not installed. */
static locale_t unicode(void)
{
	static locale_t locale;
	static bool asked;

	if (!asked)
		locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	asked = true;
	return locale;
}

/* In the locale of the thread. */
static size_t add_up(const char *text, size_t bytes)
{
	mbstate_t state = {0};
	size_t width = 0;

	while (bytes > 0) {
		wchar_t character;
		size_t length = mbrtowc(&character, text, bytes, &state);
		int columns;

		if (length == 0 || length > bytes)
			return width + bytes; /* it is not UTF-8 */
		columns = wcwidth(character);
		width += columns < 0 ? 1 : (size_t)columns;
		text += length;
		bytes -= length;
	}
	return width;
}

/* Without any sequence. */
static size_t width_of(const char *text, size_t bytes)
{
	locale_t before;
	size_t width;

	if (is_ascii(text, bytes) || !unicode())
		return bytes;
	before = uselocale(unicode());
	width = add_up(text, bytes);
	uselocale(before);
	return width;
}

size_t text_width(const char *text, size_t bytes)
{
	const char *escape;
	size_t width = 0;

	while ((escape = memchr(text, '\033', bytes))) {
		const char *end =
			memmem(escape, bytes - (size_t)(escape - text),
				LINK_END, sizeof(LINK_END) - 1);

		if (!end || strncmp(escape, LINK, sizeof(LINK) - 1) != 0)
			break;
		width += width_of(text, (size_t)(escape - text));
		bytes -= (size_t)(end + sizeof(LINK_END) - 1 - text);
		text = end + sizeof(LINK_END) - 1;
	}
	return width + width_of(text, bytes);
}
