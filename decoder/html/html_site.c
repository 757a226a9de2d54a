#include "decoder/html/html_site.h"

#include <string.h>

#include "base/limits.h"
#include "base/literal.h"
#include "decoder/html/html_json.h"
#include "decoder/message/category.h"
#include "decoder/message/fields.h"
#include "decoder/names/frames.h"

static void put_location(void *closure, const struct place *place)
{
	struct render_buffer words = {0};
	struct render_buffer *json = closure;

	if (!place->file || place->line == 0) {
		html_json_put_plain(json, "null");
		return;
	}
	render_buffer_put(&words, place->file, strlen(place->file));
	render_buffer_put_byte(&words, ':');
	html_json_put_number(&words, place->line);
	html_json_put_text(json, words.data, words.length);
	render_buffer_free(&words);
}

/* Of a call: the format as in its source, without the quotes around it. */
static void put_format(
	struct render_buffer *json, const struct message *message)
{
	const struct definition_string *format =
		message_is_event(message) ? NULL : message_format(message);
	struct render_buffer words = {0};

	if (format)
		literal_put(&words, format->bytes,
			limits_cut(LIMIT_HTML_TEXT, format->length));
	if (words.length >= 2)
		html_json_put_text(json, words.data + 1, words.length - 2);
	else
		html_json_put_plain(json, "null");
	render_buffer_free(&words);
}

static void put_fields(
	struct render_buffer *json, const struct message *message)
{
	const struct fields *fields = fields_of(message);
	size_t i;

	html_json_put_plain(json, ",[");
	for (i = 0; i < fields->count; i++) {
		html_json_put_plain(json, i > 0 ? "," : "");
		html_json_put_string(json, fields->all[i].name);
	}
	html_json_put_plain(json, "],[");
	for (i = 0; i < fields->count; i++) {
		html_json_put_plain(json, i > 0 ? "," : "");
		html_json_put_number(json, fields->all[i].type);
	}
	html_json_put_plain(json, "]");
}

static void put_module(
	struct render_buffer *json, const struct message *message)
{
	const char *module = category_module(message);

	html_json_put_plain(json, ",");
	html_json_put_string(json, module);
	html_json_put_plain(json, ",");
	if (module && category_offset(message) < UINT64_C(1) << 53)
		html_json_put_number(json, category_offset(message));
	else
		html_json_put_plain(json, "null");
}

void html_site_put(const struct message *message, struct places *places,
	uint32_t frame, struct render_buffer *json)
{
	const struct definition_string *function = message->context->function;

	html_json_put_plain(json, "[");
	html_json_put_string(json, function ? function->bytes : NULL);
	html_json_put_plain(json, ",");
	put_format(json, message);
	put_module(json, message);
	html_json_put_plain(json, ",");
	if (places && message->context->depth > 0)
		frames_author(places, message, put_location, json);
	else
		html_json_put_plain(json, "null");
	html_json_put_plain(json, ",");
	html_json_put_number(json, frame);
	put_fields(json, message);
	html_json_put_plain(json, "]");
}
