/*
 * JSON that may stand inside of a page: nothing in it can end the element that
 * it is in.  Used by the parts of a report; texts come as on a terminal, with
 * \xNN for what could do harm there.
 */
#ifndef DECODER_HTML_JSON_H
#define DECODER_HTML_JSON_H

#include "base/render_buffer.h"

/* A string in quotes. */
void html_json_put_text(
	struct render_buffer *out, const char *bytes, size_t size);

/* The same of one that ends in NUL; of a null pointer: null. */
void html_json_put_string(struct render_buffer *out, const char *string);

/* What is safe already: `[` and `,` and the like. */
void html_json_put_plain(struct render_buffer *out, const char *text);

/* Numbers of JavaScript are exact up to 2^53: larger ones are not for this. */
void html_json_put_number(struct render_buffer *out, uint64_t number);

#endif
