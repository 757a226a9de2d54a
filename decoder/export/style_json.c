#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/json_text.h"
#include "decoder/export/json_fields.h"
#include "decoder/message/event_words.h"
#include "decoder/message/whole_call.h"
#include "decoder/output/style.h"

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

static void put_facts(struct json *json, const struct message *message,
	const struct fact_wanted *wanted, size_t count)
{
	facts_each(wanted, count, json->settings.location, message,
		&json->scratch, json_fact_put, &json->settings.output->text);
}

static void put_origin(struct json *json, const struct message *message)
{
	struct render_buffer *out = &json->settings.output->text;

	json_text_put(out, "{\"time\":\"");
	calendar_append_standard(&json->calendar, message->wall, out);
	render_buffer_put_byte(out, '"');
	put_facts(json, message, facts_of_origin, FACTS_COUNT(facts_of_origin));
}

static void put_call(struct json *json, const struct message *message)
{
	put_facts(json, message, facts_of_call, FACTS_COUNT(facts_of_call));
}

static void put_location(struct json *json, const struct message *message)
{
	struct render_buffer *out = &json->settings.output->text;

	if (json->settings.location)
		put_facts(json, message, facts_of_location,
			FACTS_COUNT(facts_of_location));
	if (!json->settings.stack)
		return;
	json_text_put(out, ",\"stack\":");
	json_location_stack(out, json->settings.locations, message,
		json->settings.options->depth);
	if (message->origin)
		json_location_origin(out, json->settings.locations, message,
			json->settings.options->depth);
}

static void put_head(void *state, const struct message *message)
{
	static const struct fact_wanted format[] = {FACT_WANTED(format)};
	struct json *json = state;
	struct render_buffer *out = &json->settings.output->text;

	put_origin(json, message);
	put_call(json, message);
	put_location(json, message);
	put_facts(json, message, format, 1);
	json_text_put(out, ",\"args\":");
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

	put_origin(json, message);
	if (event_words_are_of_call(message)) {
		put_call(json, message);
		json_text_put(out, ",\"event\":");
		json_text_word(out, event_words_name(message));
		json_text_put(out, ",\"count\":");
		json_text_integer(out, message_event_value(message));
	} else {
		json_text_put(out, ",\"event\":");
		json_text_word(out, event_words_name(message));
		put_location(json, message);
	}
	scratch->length = 0;
	event_words_put(message, scratch);
	json_text_put(out, ",\"words\":");
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
