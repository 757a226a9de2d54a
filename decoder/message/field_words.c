#include "decoder/message/field_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/json_text.h"
#include "decoder/message/fields.h"

static void put_text(struct render_buffer *out, const struct field *field,
	const struct field_value *value)
{
	struct field_text text;

	field_text_of(&text, field, value);
	render_buffer_put(out, text.bytes, text.size);
}

void field_words_put(struct render_buffer *out, const struct field *field,
	const struct field_value *value)
{
	char text[32] = "";

	switch (field->type) {
	case FIELD_INTEGER:
		json_text_integer(out, value->i64);
		break;
	case FIELD_UNSIGNED:
		json_text_unsigned(out, value->u64);
		break;
	case FIELD_POINTER:
		snprintf(text, sizeof(text), "0x%" PRIx64, value->u64);
		break;
	case FIELD_FLOAT:
		if (isfinite(value->f64))
			json_text_float(out, value->f64);
		else
			snprintf(text, sizeof(text), "%f", value->f64);
		break;
	case FIELD_CHARACTER:
	case FIELD_TEXT:
		put_text(out, field, value);
		break;
	}
	render_buffer_put(out, text, strlen(text));
}
