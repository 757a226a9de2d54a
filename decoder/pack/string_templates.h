/*
 * Columns of strings with numbers in them (TEMPLATES of record/packed.h).
 * Asked by string_columns.c for each column; tries on a few strings first
 * whether that pays.
 */
#ifndef DECODER_STRING_TEMPLATES_H
#define DECODER_STRING_TEMPLATES_H

#include "decoder/pack/string_columns.h"

/*
 * Appends the column if it is less in this way; false: it is not, and nothing
 * is appended.  *templates is null at first, and freed by the caller.
 */
bool string_templates_write(struct string_templates **templates,
	struct string_columns *writer, struct render_buffer *out,
	const struct string_value *strings, size_t count);

/* Null is fine. */
void string_templates_free(struct string_templates *templates);

#endif
