#include "decoder/capture/by_hand.h"

#include <fnmatch.h>
#include <string.h>

#include "record/format.h"

#define FORMATS_MAX 16u

bool by_hand_any;

static struct {
	bool hex;
	size_t count;
	struct {
		struct render_buffer glob; /* ends in NUL */
		struct render_buffer format;
	} format[FORMATS_MAX];
} asked;

void by_hand_hex(void)
{
	asked.hex = by_hand_any = true;
}

/* With \n and \t as they stand in a source; other backslashes stay. */
static void put_unescaped(
	struct render_buffer *out, const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		bool escaped = text[i] == '\\' && i + 1 < length &&
			       strchr("nt\\", text[i + 1]);

		if (escaped)
			i++;
		render_buffer_put_byte(out, !escaped	     ? text[i]
					    : text[i] == 'n' ? '\n'
					    : text[i] == 't' ? '\t'
							     : text[i]);
	}
}

const char *by_hand_add(const char *value)
{
	static const char arrow[] = " => ";
	const char *at = strstr(value, arrow);
	const char *format;

	if (!at || at == value)
		return "not two formats: give 'GLOB => FORMAT'";
	if (asked.count == FORMATS_MAX)
		return "there are 16 of them already: leave one out";
	format = at + strlen(arrow);
	put_unescaped(
		&asked.format[asked.count].glob, value, (size_t)(at - value));
	render_buffer_put_byte(&asked.format[asked.count].glob, '\0');
	put_unescaped(
		&asked.format[asked.count].format, format, strlen(format));
	asked.count++;
	by_hand_any = true;
	return NULL;
}

/* The arguments are what it takes, of these kinds, and no more. */
static bool takes(const struct render_buffer *format,
	const struct render_argument *arguments, size_t count, uint32_t libc)
{
	uint8_t kinds[FORMAT_ARGUMENTS_MAX + 1];
	bool has_errno;
	int wanted = format_arguments_for(
		format->data, format->length, kinds, &has_errno, libc);
	int i;

	if (wanted < 0 || (size_t)wanted > count)
		return false;
	for (i = 0; i < wanted; i++)
		if (arguments[i].kind != kinds[i])
			return false;
	return true;
}

/* What is said of the line holds for its newline, too, which may be left out.
 */
static bool is_like(
	const char *glob, const char *format, size_t length, bool *newline)
{
	char text[4096];

	if (length >= sizeof(text) || memchr(format, '\0', length))
		return false;
	memcpy(text, format, length);
	text[length] = '\0';
	*newline = length > 0 && text[length - 1] == '\n';
	if (*newline) {
		text[length - 1] = '\0';
		if (fnmatch(glob, text, FNM_NOESCAPE) == 0)
			return true;
		text[length - 1] = '\n';
	}
	return fnmatch(glob, text, FNM_NOESCAPE) == 0;
}

/* The format that somebody wants in place of it; false: nobody does. */
static bool find(struct render_buffer *found, const char *format, size_t length,
	const struct render_argument *arguments, size_t count, uint32_t libc)
{
	size_t i;

	for (i = 0; i < asked.count; i++) {
		const struct render_buffer *other = &asked.format[i].format;
		bool newline;

		if (!is_like(asked.format[i].glob.data, format, length,
			    &newline) ||
			!takes(other, arguments, count, libc))
			continue;
		render_buffer_put(found, other->data, other->length);
		if (newline && (other->length == 0 ||
				       other->data[other->length - 1] != '\n'))
			render_buffer_put_byte(found, '\n');
		return true;
	}
	return false;
}

/* A directive of a whole number as it prints a hexadecimal one: '#' comes
 * behind the number of the argument, if it has one. */
static void put_hex(
	struct render_buffer *to, const struct format_directive *directive)
{
	const char *text = directive->text;
	size_t length = directive->length;
	size_t digits = 1 + strspn(text + 1, "0123456789");
	size_t flags = digits < length && text[digits] == '$' ? digits + 1 : 1;
	size_t i;

	render_buffer_put(to, text, flags);
	render_buffer_put_byte(to, '#');
	/* What means nothing to it, or is not defined for it. */
	for (i = flags; i + 1 < length; i++)
		if (!strchr("'+ #", text[i]))
			render_buffer_put_byte(to, text[i]);
	render_buffer_put_byte(to, 'x');
}

static bool make_hex(struct render_buffer *to, const char *format,
	size_t length, uint32_t libc)
{
	struct format_directive directive;
	struct format_cursor cursor;
	bool any = false;

	format_begin_for(&cursor, format, length, libc);
	while (format_next(&cursor, &directive)) {
		if (directive.conversion != 0 &&
			strchr("duo", directive.conversion)) {
			put_hex(to, &directive);
			any = true;
		} else {
			render_buffer_put(to, directive.text, directive.length);
		}
	}
	return any && cursor.at == cursor.end;
}

bool by_hand_put(struct render_buffer *out, const char *format, size_t length,
	const struct render_argument *arguments, size_t count, uint32_t libc)
{
	static struct render_buffer other, hex;
	bool found;

	other.length = hex.length = 0;
	found = find(&other, format, length, arguments, count, libc);
	if (found) {
		format = other.data;
		length = other.length;
	}
	if (asked.hex && make_hex(&hex, format, length, libc)) {
		format = hex.data;
		length = hex.length;
		found = true;
	}
	if (found)
		render_format(
			out, format, length, arguments, count, NULL, libc);
	return found;
}
