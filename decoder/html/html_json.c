#include "decoder/html/html_json.h"

#include "base/digits.h"
#include "base/escape.h"

static void put_unit(struct render_buffer *out, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";

	render_buffer_put(out, "\\u00", 4);
	render_buffer_put_byte(out, digits[c >> 4]);
	render_buffer_put_byte(out, digits[c & 15]);
}

void html_json_put_text(
	struct render_buffer *out, const char *bytes, size_t size)
{
	struct render_buffer safe = {0};
	size_t i;

	escape_put(&safe, bytes, size, 0);
	out->failed = out->failed || safe.failed;
	render_buffer_put_byte(out, '"');
	for (i = 0; i < safe.length; i++) {
		unsigned char c = (unsigned char)safe.data[i];

		if (c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' ||
			c == '&')
			put_unit(out, c);
		else
			render_buffer_put_byte(out, (char)c);
	}
	render_buffer_put_byte(out, '"');
	render_buffer_free(&safe);
}

void html_json_put_string(struct render_buffer *out, const char *string)
{
	if (string)
		html_json_put_text(out, string, strlen(string));
	else
		render_buffer_put(out, "null", 4);
}

void html_json_put_plain(struct render_buffer *out, const char *text)
{
	render_buffer_put(out, text, strlen(text));
}

void html_json_put_number(struct render_buffer *out, uint64_t number)
{
	char text[DIGITS_U64_MAX];

	render_buffer_put(
		out, text, (size_t)(digits_write(text, number) - text));
}
