#include "decoder/html/html_page.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/digits.h"
#include "base/escape.h"
#include "decoder/html/html_template.h"

/*
 * JSON that may stand inside of a page: nothing in it can end the element that
 * it is in.  Used by the parts of a report; texts come as on a terminal, with
 * \xNN for what could do harm there.
 */

static void put_unit(struct render_buffer *out, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";

	render_buffer_put(out, "\\u00", 4);
	render_buffer_put_byte(out, digits[c >> 4]);
	render_buffer_put_byte(out, digits[c & 15]);
}

void html_json_put_text(
	struct render_buffer *out, const char *bytes, size_t size)
{
	struct render_buffer safe = {0};
	size_t i;

	escape_put(&safe, bytes, size, 0);
	out->failed = out->failed || safe.failed;
	render_buffer_put_byte(out, '"');
	for (i = 0; i < safe.length; i++) {
		unsigned char c = (unsigned char)safe.data[i];

		if (c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' ||
			c == '&')
			put_unit(out, c);
		else
			render_buffer_put_byte(out, (char)c);
	}
	render_buffer_put_byte(out, '"');
	render_buffer_free(&safe);
}

void html_json_put_string(struct render_buffer *out, const char *string)
{
	if (string)
		html_json_put_text(out, string, strlen(string));
	else
		render_buffer_put(out, "null", 4);
}

void html_json_put_plain(struct render_buffer *out, const char *text)
{
	render_buffer_put(out, text, strlen(text));
}

void html_json_put_number(struct render_buffer *out, uint64_t number)
{
	char text[DIGITS_U64_MAX];

	render_buffer_put(
		out, text, (size_t)(digits_write(text, number) - text));
}

/* Deflate without a head: what a browser calls `deflate-raw`. */
#define WINDOW (-MAX_WBITS)

struct html_page {
	struct output *output;
	z_stream deflate;
	struct render_buffer compressed;
};

static void put_lines(struct output *output, const char *const *lines)
{
	for (; *lines; lines++)
		render_buffer_put(&output->text, *lines, strlen(*lines));
	output_settle(output);
}

static void put_plain(struct html_page *page, const char *text)
{
	render_buffer_put(&page->output->text, text, strlen(text));
}

struct html_page *html_page_begin(struct output *output)
{
	struct html_page *page = calloc(1, sizeof(*page));

	if (!page)
		return NULL;
	page->output = output;
	if (deflateInit2(&page->deflate, 6, Z_DEFLATED, WINDOW, 8,
		    Z_DEFAULT_STRATEGY) != Z_OK) {
		free(page);
		return NULL;
	}
	put_lines(output, html_template_head);
	return page;
}

static void note_memory(struct html_page *page)
{
	if (page->output->failed == 0)
		page->output->failed = ENOMEM;
}

/* False: out of memory. */
static bool compress_part(
	struct html_page *page, const struct render_buffer *part)
{
	struct render_buffer *out = &page->compressed;
	z_stream *deflater = &page->deflate;
	size_t room;

	if (part->failed || part->length > UINT32_MAX / 2 ||
		deflateReset(deflater) != Z_OK)
		return false;
	room = deflateBound(deflater, (uLong)part->length);
	out->length = 0;
	if (!render_buffer_reserve(out, room))
		return false;
	deflater->next_in = (Bytef *)part->data;
	deflater->avail_in = (uInt)part->length;
	deflater->next_out = (Bytef *)out->data;
	deflater->avail_out = (uInt)room;
	if (deflate(deflater, Z_FINISH) != Z_STREAM_END)
		return false;
	out->length = room - deflater->avail_out;
	return true;
}

/* As base64, which has no character that means anything to a page. */
static void put_base64(struct output *output, const struct render_buffer *from)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *bytes = (const unsigned char *)from->data;
	size_t size = (from->length + 2) / 3 * 4;
	char *to;
	size_t i;

	if (!render_buffer_reserve(&output->text, size))
		return;
	to = output->text.data + output->text.length;
	for (i = 0; i < from->length; i += 3) {
		size_t left = from->length - i;
		uint32_t group = (uint32_t)bytes[i] << 16 |
				 (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				 (left > 2 ? bytes[i + 2] : 0);

		*to++ = digits[group >> 18];
		*to++ = digits[group >> 12 & 63];
		*to++ = left > 1 ? digits[group >> 6 & 63] : '=';
		*to++ = left > 2 ? digits[group & 63] : '=';
	}
	output->text.length += size;
}

void html_page_put_chunk(struct html_page *page, const char *class,
	const struct render_buffer *parts, size_t count)
{
	size_t i;

	put_plain(page, "<script type=\"application/octet-stream\" class=\"");
	put_plain(page, class);
	put_plain(page, "\">");
	for (i = 0; i < count; i++) {
		if (!compress_part(page, &parts[i])) {
			note_memory(page);
			return;
		}
		if (i > 0)
			put_plain(page, ",");
		put_base64(page->output, &page->compressed);
	}
	put_plain(page, "</script>\n");
	output_settle(page->output);
}

void html_page_end(struct html_page *page, const struct render_buffer *index)
{
	if (index->failed)
		note_memory(page);
	put_plain(page, "<script type=\"application/json\" id=\"index\">");
	render_buffer_put(&page->output->text, index->data, index->length);
	put_plain(page, "</script>\n");
	put_lines(page->output, html_template_tail);
	html_page_free(page);
}

void html_page_free(struct html_page *page)
{
	if (!page)
		return;
	deflateEnd(&page->deflate);
	render_buffer_free(&page->compressed);
	free(page);
}
