/*
 * Cells of comma-separated values, as RFC 4180 quotes them.  Used by the style
 * of that name; promises that a spreadsheet takes no text for a formula, and
 * that the whole is safe on a terminal.
 */
#ifndef DECODER_CSV_TEXT_H
#define DECODER_CSV_TEXT_H

#include "base/render_buffer.h"
#include "decoder/message/fields.h"

/*
 * Appends text, always in quotes.  One that begins with = + - @ or ' gets a '
 * before it; what lines of binlog-show escape is escaped here, too.
 */
void csv_text_put(struct render_buffer *out, const char *text, size_t bytes,
	struct render_buffer *scratch);

/* Of one that ends in NUL; null is an empty cell. */
void csv_text_word(struct render_buffer *out, const char *word,
	struct render_buffer *scratch);

/* A value: numbers as they are, null as an empty cell. */
void csv_text_value(struct render_buffer *out, const struct field *field,
	const struct field_value *value, struct render_buffer *scratch);

#endif
