#include "base/text_width.h"

#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

#include "base/link.h"
#include "base/utf8_read.h"

static bool is_ascii(const char *text, size_t bytes)
{
	unsigned char all = 0;
	size_t i;

	for (i = 0; i < bytes; i++)
		all |= (unsigned char)text[i];
	return all < 0x80;
}

/* Null: it is not installed, or rights were given up before it was asked for;
 * in the C library, as it mostly is, it is always there. */
static locale_t unicode(void)
{
	static locale_t locale;
	static bool asked;

	if (!asked)
		locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	asked = true;
	return locale;
}

/*
 * The bytes of the first character, and its columns: in the locale of the
 * thread, if it is unicode(), else one.  What is not UTF-8 takes a column for
 * each byte.  By mbrtowc(3) the C library would look for converters, which a
 * process without rights cannot.
 */
static size_t take_character(const char *text, size_t bytes, size_t *columns)
{
	uint32_t character;
	size_t length;
	int width;

	*columns = 1;
	if ((unsigned char)*text < 0x80)
		return 1;
	length = utf8_read(text, bytes, &character);
	if (character == UTF8_READ_BAD)
		*columns = length;
	if (character == UTF8_READ_BAD || !unicode())
		return length;
	width = wcwidth((wchar_t)character);
	*columns = width < 0 ? 1 : (size_t)width;
	return length;
}

static size_t add_up(const char *text, size_t bytes)
{
	size_t width = 0;
	size_t columns;
	size_t at;

	for (at = 0; at < bytes; width += columns)
		at += take_character(text + at, bytes - at, &columns);
	return width;
}

/* Bytes after which `columns` are passed, and then all that take none. */
static size_t skip(const char *text, size_t bytes, size_t columns, bool reach)
{
	size_t width = 0;
	size_t at = 0;

	while (at < bytes) {
		size_t more;
		size_t length = take_character(text + at, bytes - at, &more);

		if (more > 0 &&
			(reach ? width >= columns : width + more > columns))
			break;
		width += more;
		at += length;
	}
	return at;
}

static size_t skip_in_unicode(
	const char *text, size_t bytes, size_t columns, bool reach)
{
	locale_t before;
	size_t at;

	if (!unicode())
		return skip(text, bytes, columns, reach);
	before = uselocale(unicode());
	at = skip(text, bytes, columns, reach);
	uselocale(before);
	return at;
}

/* Without any sequence. */
static size_t width_of(const char *text, size_t bytes)
{
	locale_t before;
	size_t width;

	if (is_ascii(text, bytes))
		return bytes;
	if (!unicode())
		return add_up(text, bytes);
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

size_t text_width_head(const char *text, size_t bytes, size_t columns)
{
	return skip_in_unicode(text, bytes, columns, false);
}

size_t text_width_tail(const char *text, size_t bytes, size_t columns)
{
	size_t width = text_width(text, bytes);

	if (width <= columns)
		return bytes;
	return bytes - skip_in_unicode(text, bytes, width - columns, true);
}

void text_width_prepare(void)
{
	unicode();
}
