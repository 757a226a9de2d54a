/*
 * A report as a file: one page that carries its data along, compressed, as
 * text that no browser runs.  Written by style_html.c from the front to the
 * back: the page itself, chunks of messages, and what they refer to.
 */
#ifndef DECODER_HTML_PAGE_H
#define DECODER_HTML_PAGE_H

#include "base/render_buffer.h"
#include "decoder/output/output.h"

/* A string in quotes. */
void html_json_put_text(
	struct render_buffer *out, const char *bytes, size_t size);

/* The same of one that ends in NUL; of a null pointer: null. */
void html_json_put_string(struct render_buffer *out, const char *string);

/* What is safe already: `[` and `,` and the like. */
void html_json_put_plain(struct render_buffer *out, const char *text);

/* Numbers of JavaScript are exact up to 2^53: larger ones are not for this. */
void html_json_put_number(struct render_buffer *out, uint64_t number);

struct html_page;

/* The output stays the caller's.  Null: out of memory. */
struct html_page *html_page_begin(struct output *output);

/*
 * One element of this class with these parts, which the page asks for one by
 * one.  Their bytes may be anything.
 */
void html_page_put_chunk(struct html_page *page, const char *class,
	const struct render_buffer *parts, size_t count);

/* The JSON that was made, and the end of the page; frees `page`. */
void html_page_end(struct html_page *page, const struct render_buffer *index);

/* Frees it without another word; null is fine. */
void html_page_free(struct html_page *page);

#endif
