#include "decoder/output/text_cut.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text_width.h"

static const char *cut_mark(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *locale = NULL;
	size_t i;

	for (i = 0; i < 3 && !(locale && *locale); i++)
		locale = getenv(variables[i]);
	if (locale &&
		(strcasestr(locale, "UTF-8") || strcasestr(locale, "UTF8")))
		return "\xe2\x80\xa6";
	return "...";
}

/* The columns that are left beside the mark; false: nothing is to be cut. */
static bool make_room(
	const char *text, size_t bytes, const char *mark, size_t *room)
{
	size_t mark_width = text_width(mark, strlen(mark));

	if (*room < mark_width || text_width(text, bytes) <= *room)
		return false;
	*room -= mark_width;
	return true;
}

void text_cut_put(
	struct render_buffer *out, const char *text, size_t bytes, size_t room)
{
	const char *mark = cut_mark();

	if (!make_room(text, bytes, mark, &room)) {
		render_buffer_put(out, text, bytes);
		return;
	}
	render_buffer_put(out, text, text_width_head(text, bytes, room));
	render_buffer_put_string(out, mark);
}

void text_cut_put_end(
	struct render_buffer *out, const char *text, size_t bytes, size_t room)
{
	const char *mark = cut_mark();
	size_t kept;

	if (!make_room(text, bytes, mark, &room)) {
		render_buffer_put(out, text, bytes);
		return;
	}
	kept = text_width_tail(text, bytes, room);
	render_buffer_put_string(out, mark);
	render_buffer_put(out, text + bytes - kept, kept);
}

/* A line, with spaces for its tabs. */
static void put_expanded(
	struct render_buffer *out, const char *line, size_t bytes)
{
	size_t columns = 0;
	const char *tab;

	while ((tab = bytes > 0 ? memchr(line, '\t', bytes) : NULL)) {
		size_t length = (size_t)(tab - line);
		size_t spaces;

		columns += text_width(line, length);
		spaces = text_width_tab(columns);
		columns += spaces;
		render_buffer_put(out, line, length);
		render_buffer_fill(out, ' ', spaces);
		line = tab + 1;
		bytes -= length + 1;
	}
	render_buffer_put(out, line, bytes);
}

/* What is left of a line within a width. */
typedef void put_line(struct render_buffer *out, const char *line, size_t bytes,
	size_t width, size_t indent);

static void each_line(struct render_buffer *out, size_t from, size_t width,
	size_t indent, put_line *put)
{
	struct render_buffer text = {0}, line = {0};
	const char *at, *end, *line_end;

	if (width == 0 || out->failed || out->length == from)
		return;
	render_buffer_put(&text, out->data + from, out->length - from);
	out->length = from;
	out->failed |= text.failed;
	at = render_buffer_from(&text, 0);
	for (end = at + text.length; at < end; at = line_end + 1) {
		line_end = memchr(at, '\n', (size_t)(end - at));
		line.length = 0;
		put_expanded(
			&line, at, (size_t)((line_end ? line_end : end) - at));
		put(out, render_buffer_from(&line, 0), line.length, width,
			indent);
		if (!line_end)
			break;
		render_buffer_put_byte(out, '\n');
	}
	out->failed |= line.failed;
	render_buffer_free(&line);
	render_buffer_free(&text);
}

static void cut_line(struct render_buffer *out, const char *line, size_t bytes,
	size_t width, size_t indent)
{
	(void)indent;
	text_cut_put(out, line, bytes, width);
}

void text_cut_lines(struct render_buffer *out, size_t from, size_t width)
{
	each_line(out, from, width, 0, cut_line);
}

/* The word with the spaces before it. */
static size_t word_of(const char *line, size_t bytes)
{
	size_t length = 0;

	while (length < bytes && line[length] == ' ')
		length++;
	while (length < bytes && line[length] != ' ')
		length++;
	return length;
}

static void wrap_line(struct render_buffer *out, const char *line, size_t bytes,
	size_t width, size_t indent)
{
	size_t used = 0;

	while (bytes > 0) {
		size_t length = word_of(line, bytes);
		const char *word = line;
		size_t columns = text_width(word, length);

		line += length;
		bytes -= length;
		if (used > 0 && used + columns > width) {
			while (length > 0 && *word == ' ') {
				word++;
				length--;
				columns--;
			}
			render_buffer_put_byte(out, '\n');
			render_buffer_fill(out, ' ', indent);
			used = indent;
		}
		text_cut_put(
			out, word, length, width > used ? width - used : 1);
		used += columns;
	}
}

void text_cut_wrap(
	struct render_buffer *out, size_t from, size_t width, size_t indent)
{
	each_line(out, from, width, indent, wrap_line);
}
