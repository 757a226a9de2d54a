/*
 * A report as a file: one page that carries its data along, compressed, as
 * text that no browser runs.  Written by style_html.c from the front to the
 * back: the page itself, chunks of messages, and what they refer to.
 */
#ifndef DECODER_HTML_PAGE_H
#define DECODER_HTML_PAGE_H

#include "base/render_buffer.h"
#include "decoder/output/output.h"

struct html_page;

/* The output stays the caller's.  Null: out of memory. */
struct html_page *html_page_begin(struct output *output);

/*
 * One element of this class with these parts, which the page asks for one by
 * one.  Their bytes may be anything.
 */
void html_page_put_chunk(struct html_page *page, const char *class,
	const struct render_buffer *parts, size_t count);

/* What html_json.h has made, and the end of the page; frees `page`. */
void html_page_end(struct html_page *page, const struct render_buffer *index);

/* Frees it without another word; null is fine. */
void html_page_free(struct html_page *page);

#endif
