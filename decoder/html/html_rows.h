/*
 * The lines of a report on their way into it: in columns, so many at a time as
 * a browser unpacks in a moment.  Used by style_html.c.  A chunk has three
 * parts, which the page reads as html/data.js says: who, when and where; what
 * was said; the arguments.
 */
#ifndef DECODER_HTML_ROWS_H
#define DECODER_HTML_ROWS_H

#include "decoder/capture/message.h"
#include "decoder/html/html_page.h"

struct html_row {
	uint64_t wall;
	uint32_t thread;
	uint32_t shape;
	const char *text; /* any bytes */
	size_t bytes;
	const char *values; /* as html_rows_put_values() has made them */
	size_t value_bytes;
	uint32_t value_count;
};

struct html_rows;

/* Seven bits in a byte, the lowest first. */
void html_rows_put_number(struct render_buffer *out, uint64_t number);

/* The same of 64 bits with a sign: small ones of either sign are short. */
void html_rows_put_signed(struct render_buffer *out, uint64_t number);

/* The page stays the caller's.  Null: out of memory. */
struct html_rows *html_rows_new(struct html_page *page);

void html_rows_put(struct html_rows *rows, const struct html_row *row);

/* Appends the values of the message's fields; returns how many. */
uint32_t html_rows_put_values(struct html_rows *rows,
	const struct message *message, struct render_buffer *out);

/* Writes what is left.  Returns how many there were, and frees `rows`. */
uint64_t html_rows_end(struct html_rows *rows);

#endif
