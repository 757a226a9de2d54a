/*
 * The value of a field as text for formats that know no types: exports to
 * logs of the system.
 */
#ifndef DECODER_FIELD_WORDS_H
#define DECODER_FIELD_WORDS_H

#include "decoder/message/fields.h"

/*
 * Appends a value that is known: numbers with all digits, pointers as 0x...,
 * texts and characters as they are, which may be any bytes.
 */
void field_words_put(struct render_buffer *out, const struct field *field,
	const struct field_value *value);

#endif
