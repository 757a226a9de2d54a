#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8_read.h"
#include "decoder/export/json_fields.h"
#include "decoder/message/event_words.h"
#include "decoder/message/facts.h"
#include "decoder/message/fields.h"
#include "decoder/message/whole_call.h"
#include "decoder/names/frames.h"
#include "decoder/output/style.h"

/* A map for each call, one behind the other. */
struct maps {
	struct style_settings settings;
	struct whole_call call;
	msgpack_packer packer; /* into `body` */
	struct render_buffer body;
	uint32_t pairs; /* of the map, in `body` */
	struct render_buffer scratch;
	uint32_t frames; /* of the stack, in `scratch` */
};

static int append(void *closure, const char *bytes, size_t size)
{
	render_buffer_put(closure, bytes, size);
	return 0;
}

void *style_msgpack_begin(const struct style_settings *settings)
{
	struct maps *maps = calloc(1, sizeof(*maps));

	if (!maps)
		return NULL;
	maps->settings = *settings;
	maps->call.pointers = settings->pointers;
	msgpack_packer_init(&maps->packer, &maps->body, append);
	return maps;
}

/* A string, if that is what it is. */
static void pack_text(msgpack_packer *packer, const char *text, size_t bytes)
{
	if (utf8_read_is_good(text, bytes))
		msgpack_pack_str_with_body(packer, text, bytes);
	else
		msgpack_pack_bin_with_body(packer, text, bytes);
}

/* Of words that are known to be. */
static void pack_ascii(msgpack_packer *packer, const char *word)
{
	msgpack_pack_str_with_body(packer, word, strlen(word));
}

static void pack_word(msgpack_packer *packer, const char *word)
{
	pack_text(packer, word, strlen(word));
}

static void put_key(struct maps *maps, const char *key)
{
	pack_ascii(&maps->packer, key);
	maps->pairs++;
}

static void put_text(
	struct maps *maps, const char *key, const char *text, size_t bytes)
{
	put_key(maps, key);
	pack_text(&maps->packer, text, bytes);
}

static void put_word(struct maps *maps, const char *key, const char *word)
{
	if (word)
		put_text(maps, key, word, strlen(word));
}

static void put_fact(void *closure, const char *key, const struct fact *fact)
{
	struct maps *maps = closure;

	put_key(maps, key);
	if (fact->kind == FACT_NUMBER)
		msgpack_pack_uint64(&maps->packer, fact->number);
	else
		pack_text(&maps->packer, fact->text, fact->bytes);
}

static void put_facts(struct maps *maps, const struct message *message,
	const struct fact_wanted *wanted, size_t count)
{
	facts_each(wanted, count, maps->settings.location, message,
		&maps->scratch, put_fact, maps);
}

static void put_origin(struct maps *maps, const struct message *message)
{
	maps->body.length = maps->pairs = 0;
	put_facts(maps, message, facts_of_origin, FACTS_COUNT(facts_of_origin));
}

static void put_call(struct maps *maps, const struct message *message)
{
	put_facts(maps, message, facts_of_call, FACTS_COUNT(facts_of_call));
}

/* A map in the array of the stack. */
static bool take_frame(void *closure, const struct location *location)
{
	struct maps *maps = closure;
	msgpack_packer packer;

	if (maps->frames == maps->settings.options->depth ||
		limits_reached(LIMIT_EXPORT_STACK, maps->frames))
		return false;
	maps->frames++;
	msgpack_packer_init(&packer, &maps->scratch, append);
	msgpack_pack_map(
		&packer, 1u + !!location->function + !!location->module +
				 2u * !!location->file + location->beside);
	pack_ascii(&packer, "address");
	msgpack_pack_uint64(&packer, location->address);
	if (location->function) {
		pack_ascii(&packer, "function");
		pack_word(&packer, location->function);
	}
	if (location->module) {
		pack_ascii(&packer, "module");
		pack_word(&packer, location->module);
	}
	if (location->file) {
		pack_ascii(&packer, "file");
		pack_word(&packer, location->file);
		pack_ascii(&packer, "line");
		msgpack_pack_uint32(&packer, location->line);
	}
	if (location->beside) {
		pack_ascii(&packer, "on_stack");
		msgpack_pack_false(&packer);
	}
	return true;
}

static void put_location(struct maps *maps, const struct message *message)
{
	if (maps->settings.location)
		put_facts(maps, message, facts_of_location,
			FACTS_COUNT(facts_of_location));
	if (!maps->settings.stack)
		return;
	maps->scratch.length = maps->frames = 0;
	frames_each(maps->settings.locations, message, take_frame, maps);
	put_key(maps, "stack");
	msgpack_pack_array(&maps->packer, maps->frames);
	render_buffer_put(
		&maps->body, maps->scratch.data, maps->scratch.length);
}

static void pack_value(msgpack_packer *packer, const struct field *field,
	const struct field_value *value)
{
	struct field_text text;

	if (!value->known) {
		msgpack_pack_nil(packer);
		return;
	}
	switch (field->type) {
	case FIELD_INTEGER:
		msgpack_pack_int64(packer, value->i64);
		break;
	case FIELD_UNSIGNED:
	case FIELD_POINTER:
		msgpack_pack_uint64(packer, value->u64);
		break;
	case FIELD_FLOAT:
		msgpack_pack_double(packer, value->f64);
		break;
	case FIELD_CHARACTER:
	case FIELD_TEXT:
		field_text_of(&text, field, value);
		pack_text(packer, text.bytes, text.size);
		break;
	}
}

static void put_fields(struct maps *maps, const struct message *message)
{
	const struct fields *fields = fields_of(message);
	msgpack_packer *packer = &maps->packer;
	size_t i;

	put_key(maps, "args");
	msgpack_pack_array(packer, fields->count);
	for (i = 0; i < fields->count; i++) {
		const struct field *field = &fields->all[i];
		struct field_value value =
			field_value(field, message, &maps->scratch);

		msgpack_pack_map(packer, 3);
		pack_ascii(packer, "name");
		pack_word(packer, field->name);
		pack_ascii(packer, "type");
		pack_ascii(packer, json_fields_type(field->type));
		pack_ascii(packer, "value");
		pack_value(packer, field, &value);
	}
}

static void put_head(void *state, const struct message *message)
{
	static const struct fact_wanted format[] = {FACT_WANTED(format)};
	struct maps *maps = state;

	put_origin(maps, message);
	put_call(maps, message);
	put_location(maps, message);
	put_facts(maps, message, format, 1);
	put_fields(maps, message);
}

static void end_map(struct maps *maps)
{
	struct render_buffer *out = &maps->settings.output->text;
	msgpack_packer packer;

	msgpack_packer_init(&packer, out, append);
	msgpack_pack_map(&packer, maps->pairs);
	render_buffer_put(out, maps->body.data, maps->body.length);
	out->failed = out->failed || maps->body.failed || maps->scratch.failed;
	output_settle(maps->settings.output);
}

static void end_call(void *state)
{
	struct maps *maps = state;

	put_text(maps, "message", maps->call.text.data, maps->call.text.length);
	end_map(maps);
}

static void put_event(void *state, const struct message *message)
{
	struct maps *maps = state;
	bool of_call = event_words_are_of_call(message);

	put_origin(maps, message);
	if (of_call)
		put_call(maps, message);
	put_location(maps, message);
	put_word(maps, "event", event_words_name(message));
	if (of_call) {
		put_key(maps, "count");
		msgpack_pack_uint64(
			&maps->packer, (uint64_t)message_event_value(message));
	}
	maps->scratch.length = 0;
	event_words_put(message, &maps->scratch);
	put_text(maps, "words", maps->scratch.data, maps->scratch.length);
	end_map(maps);
}

static const struct whole_call_parts parts = {
	.begin = put_head,
	.end = end_call,
	.event = put_event,
};

void style_msgpack_message(void *state, const struct message *message)
{
	struct maps *maps = state;

	whole_call_message(&maps->call, message, &parts, maps);
}

void style_msgpack_end(void *state)
{
	struct maps *maps = state;
	struct render_buffer *out = &maps->settings.output->text;

	if (maps->call.open)
		end_call(maps);
	render_buffer_retire(&maps->call.text, out);
	render_buffer_retire(&maps->body, out);
	render_buffer_retire(&maps->scratch, out);
	free(maps);
}
