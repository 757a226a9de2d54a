#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/json_text.h"
#include "decoder/export/json_fields.h"
#include "decoder/message/category.h"
#include "decoder/message/event_words.h"
#include "decoder/message/message_level.h"
#include "decoder/message/whole_call.h"
#include "decoder/output/style.h"
#include "rules/levels.h"

/* An object for each call, on a line of its own. */
struct json {
	struct style_settings settings;
	struct calendar calendar;
	struct whole_call call;
	struct render_buffer scratch;
};

void *style_json_begin(const struct style_settings *settings)
{
	struct json *json = calloc(1, sizeof(*json));

	if (!json)
		return NULL;
	json->settings = *settings;
	json->calendar.utc = settings->utc;
	json->call.pointers = settings->pointers;
	return json;
}

static void put_origin(struct json *json, const struct message *message,
	struct render_buffer *out)
{
	json_text_put(out, "{\"time\":\"");
	calendar_append_standard(&json->calendar, message->wall, out);
	json_text_put(out, "\",\"time_ns\":");
	json_text_unsigned(out, message->wall);
	json_text_put(out, ",\"ticks\":");
	json_text_unsigned(out, message->ticks);
	json_text_put(out, ",\"program\":");
	json_text_word(out, message->program->name);
	json_text_put(out, ",\"pid\":");
	json_text_unsigned(out, message->pid);
	json_text_put(out, ",\"tid\":");
	json_text_unsigned(out, message->tid);
	json_text_put(out, ",\"thread\":");
	json_text_word(out, message->thread);
}

static void put_word(
	struct render_buffer *out, const char *key, const char *word)
{
	if (!word)
		return;
	render_buffer_put(out, key, strlen(key));
	json_text_word(out, word);
}

static void put_syslog(struct json *json, const struct message_syslog *syslog,
	struct render_buffer *out)
{
	struct render_buffer *scratch = &json->scratch;

	scratch->length = 0;
	message_words_priority(syslog->priority, scratch);
	json_text_put(out, ",\"priority\":");
	json_text_string(out, scratch->data, scratch->length);
	if (!syslog->ident)
		return;
	json_text_put(out, ",\"ident\":");
	json_text_string(out, syslog->ident, syslog->ident_bytes);
}

/* Where it went, how important it is, and which call has made it. */
static void put_call(struct json *json, const struct message *message,
	struct render_buffer *out)
{
	const struct definition_string *function = message->context->function;
	struct render_buffer *scratch = &json->scratch;
	struct message_syslog syslog;

	scratch->length = 0;
	message_words_stream(message, scratch);
	json_text_put(out, ",\"stream\":");
	json_text_string(out, scratch->data, scratch->length);
	put_word(out, ",\"level\":", level_name(message_level(message)));
	if (message_is_syslog(message, &syslog))
		put_syslog(json, &syslog, out);
	put_word(out, ",\"module\":", category_module(message));
	put_word(out, ",\"function\":", function ? function->bytes : NULL);
	render_buffer_put_byte(out, ',');
}

static void put_place(struct json *json, const struct message *message,
	struct render_buffer *out)
{
	if (json->settings.location)
		json_place_put(out, json->settings.location, message);
	if (!json->settings.stack)
		return;
	json_text_put(out, "\"stack\":");
	json_place_stack(out, json->settings.places, message,
		json->settings.options->depth);
	render_buffer_put_byte(out, ',');
}

static void put_head(void *state, const struct message *message)
{
	struct json *json = state;
	struct render_buffer *out = &json->settings.output->text;
	const struct definition_string *format = message_format(message);

	put_origin(json, message, out);
	put_call(json, message, out);
	put_place(json, message, out);
	if (format) {
		json_text_put(out, "\"format\":");
		json_text_string(out, format->bytes, format->length);
		render_buffer_put_byte(out, ',');
	}
	json_text_put(out, "\"args\":");
	json_fields_array(out, message, &json->scratch);
}

static void put_text(void *state)
{
	struct json *json = state;
	struct render_buffer *out = &json->settings.output->text;
	const struct render_buffer *text = &json->call.text;

	json_text_put(out, ",\"message\":");
	if (!json_text_string(out, text->data, text->length)) {
		json_text_put(out, ",\"message_bytes\":");
		json_text_base64(out, text->data, text->length);
	}
	json_text_put(out, "}\n");
	output_settle(json->settings.output);
}

static void put_event(void *state, const struct message *message)
{
	struct json *json = state;
	struct render_buffer *out = &json->settings.output->text;
	struct render_buffer *scratch = &json->scratch;

	put_origin(json, message, out);
	if (event_words_are_of_call(message)) {
		put_call(json, message, out);
		json_text_put(out, "\"event\":\"suppressed\",\"count\":");
		json_text_integer(out, message_event_value(message));
		render_buffer_put_byte(out, ',');
	} else {
		json_text_put(out, ",\"event\":\"end\",");
		put_place(json, message, out);
	}
	scratch->length = 0;
	event_words_put(message, scratch);
	json_text_put(out, "\"words\":");
	json_text_string(out, scratch->data, scratch->length);
	json_text_put(out, "}\n");
	output_settle(json->settings.output);
}

static const struct whole_call_parts parts = {
	.begin = put_head,
	.end = put_text,
	.event = put_event,
};

void style_json_message(void *state, const struct message *message)
{
	struct json *json = state;

	whole_call_message(&json->call, message, &parts, json);
}

void style_json_end(void *state)
{
	struct json *json = state;
	struct render_buffer *out = &json->settings.output->text;

	if (json->call.open)
		put_text(json);
	render_buffer_retire(&json->call.text, out);
	render_buffer_retire(&json->scratch, out);
	free(json);
}
