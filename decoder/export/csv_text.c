#include "decoder/export/csv_text.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_text.h"
#include "decoder/message/fields.h"

/* Each is doubled. */
static void put_quotes(struct render_buffer *out, const char *at, size_t bytes)
{
	const char *end = bytes > 0 ? at + bytes : at;

	while (at < end) {
		const char *quote = memchr(at, '"', (size_t)(end - at));
		const char *stop = quote ? quote + 1 : end;

		render_buffer_put(out, at, (size_t)(stop - at));
		if (quote)
			render_buffer_put_byte(out, '"');
		at = stop;
	}
}

/* Spreadsheets take what begins so for a formula, whether it is quoted or
 * not. */
static bool is_formula(char first)
{
	return first && strchr("=+-@\t'", first);
}

void csv_text_put(struct render_buffer *out, const char *text, size_t bytes,
	struct render_buffer *scratch)
{
	scratch->length = 0;
	escape_put(scratch, text, bytes, 0);
	render_buffer_put_byte(out, '"');
	if (scratch->length > 0 && is_formula(scratch->data[0]))
		render_buffer_put_byte(out, '\'');
	put_quotes(out, scratch->data, scratch->length);
	render_buffer_put_byte(out, '"');
}

void csv_text_word(struct render_buffer *out, const char *word,
	struct render_buffer *scratch)
{
	if (word)
		csv_text_put(out, word, strlen(word), scratch);
}

void csv_text_value(struct render_buffer *out, const struct field *field,
	const struct field_value *value, struct render_buffer *scratch)
{
	struct field_text text;

	if (!value->known)
		return;
	if (field_is_text(field)) {
		field_text_of(&text, field, value);
		csv_text_put(out, text.bytes, text.size, scratch);
	} else if (field->type != FIELD_FLOAT || isfinite(value->f64)) {
		field_words_put(out, field, value);
	} else if (isnan(value->f64)) {
		json_text_put(out, "NaN");
	} else if (value->f64 < 0) {
		json_text_put(out, "-Infinity");
	} else {
		json_text_put(out, "Infinity");
	}
}
