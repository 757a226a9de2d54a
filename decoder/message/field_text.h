/*
 * The bytes of a value that is text or a character.  Used by the exports,
 * which treat both alike.
 */
#ifndef DECODER_FIELD_TEXT_H
#define DECODER_FIELD_TEXT_H

#include "decoder/message/fields.h"
#include "record/format.h"
#include "record/utf8.h"

struct field_text {
	const char *bytes;
	size_t size;
	char character[UTF8_MAX];
};

/* Of a value that is known; good as long as that and *text are. */
static inline void field_text_of(struct field_text *text,
	const struct field *field, const struct field_value *value)
{
	text->bytes = value->text;
	text->size = value->bytes;
	if (field->type == FIELD_TEXT)
		return;
	text->bytes = text->character;
	text->character[0] = (char)value->u64;
	text->size = field->size == FORMAT_LONG
			     ? utf8_put(text->character, (uint32_t)value->u64)
			     : 1;
}

#endif
