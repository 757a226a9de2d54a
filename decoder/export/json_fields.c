#include "decoder/export/json_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "decoder/message/fields.h"
#include "decoder/names/frames.h"
#include "record/layout.h"

/*
 * Where a message was said, in JSON: the place of the call, and the stack.
 * Used by the styles that write it, when that is asked for.
 */

void json_fact_put(void *closure, const char *key, const struct fact *fact)
{
	struct render_buffer *out = closure;

	size_t bytes = strlen(key);
	char *at;

	if (!render_buffer_reserve(out, bytes + 4))
		return;
	at = out->data + out->length;
	memcpy(at, ",\"", 2);
	memcpy(at + 2, key, bytes);
	memcpy(at + 2 + bytes, "\":", 2);
	out->length += bytes + 4;
	if (fact->kind == FACT_NUMBER)
		json_text_unsigned(out, fact->number);
	else
		json_text_string(out, fact->text, fact->bytes);
}

struct frames {
	struct render_buffer *out;
	size_t left;
	bool any;
};

/* In the file that it is in, or in the process. */
static void put_address(
	struct render_buffer *out, const struct location *location)
{
	char text[40];

	if (location->module) {
		json_text_put(out, "\"module\":");
		json_text_word(out, location->module);
		render_buffer_put_byte(out, ',');
	}
	snprintf(text, sizeof(text), "\"address\":\"0x%" PRIx64 "\"",
		location->address);
	render_buffer_put(out, text, strlen(text));
}

static bool take_frame(void *closure, const struct location *location)
{
	struct frames *frames = closure;
	struct render_buffer *out = frames->out;

	if (frames->left == 0)
		return false;
	frames->left--;
	if (frames->any)
		render_buffer_put_byte(out, ',');
	frames->any = true;
	render_buffer_put_byte(out, '{');
	if (location->function) {
		json_text_put(out, "\"function\":");
		json_text_word(out, location->function);
		render_buffer_put_byte(out, ',');
	}
	if (location->file) {
		json_text_put(out, "\"file\":");
		json_text_word(out, location->file);
		json_text_put(out, ",\"line\":");
		json_text_unsigned(out, location->line);
		render_buffer_put_byte(out, ',');
	}
	put_address(out, location);
	if (location->inlined)
		json_text_put(out, ",\"inlined\":true");
	if (location->jumped)
		json_text_put(out, ",\"tail_call\":true");
	if (location->beside)
		json_text_put(out, ",\"on_stack\":false");
	render_buffer_put_byte(out, '}');
	return true;
}

void json_location_stack(struct render_buffer *out, struct locations *locations,
	const struct message *message, size_t depth)
{
	struct frames frames = {.out = out, .left = depth};

	render_buffer_put_byte(out, '[');
	frames_each(locations, message, take_frame, &frames);
	render_buffer_put_byte(out, ']');
}

static void put_creator(struct render_buffer *out, struct locations *locations,
	const struct message *message, size_t i, size_t depth)
{
	const struct message_creator *creator = &message->origin->by[i];
	struct message creation;

	json_text_put(out, "{\"how\":");
	json_text_word(out, message_was_forked(message, i) ? "fork" : "thread");
	json_text_put(out, ",\"pid\":");
	json_text_unsigned(out, creator->pid);
	json_text_put(out, ",\"tid\":");
	json_text_unsigned(out, creator->tid);
	json_text_put(out, ",\"thread\":");
	json_text_string(out, creator->name, strlen(creator->name));
	if (creator->context) {
		creation = message_of_creator(message, creator);
		json_text_put(out, ",\"stack\":");
		json_location_stack(out, locations, &creation, depth);
	}
	render_buffer_put_byte(out, '}');
}

void json_location_origin(struct render_buffer *out,
	struct locations *locations, const struct message *message,
	size_t depth)
{
	size_t i;

	json_text_put(out, ",\"origin\":[");
	for (i = 0; i < message->origin->count; i++) {
		if (i > 0)
			render_buffer_put_byte(out, ',');
		put_creator(out, locations, message, i, depth);
	}
	render_buffer_put_byte(out, ']');
}

const char *json_fields_type(enum field_type type)
{
	static const char *const names[] = {
		[FIELD_INTEGER] = "integer",
		[FIELD_UNSIGNED] = "unsigned",
		[FIELD_CHARACTER] = "character",
		[FIELD_POINTER] = "pointer",
		[FIELD_FLOAT] = "float",
		[FIELD_TEXT] = "text",
	};

	return names[type];
}

/*
 * Appends a value: numbers as such, pointers as strings "0x1f", characters and
 * text as strings, null if it is not known.  False: it is text that is not
 * UTF-8, and some of it is U+FFFD now.
 */
static bool json_fields_value(struct render_buffer *out,
	const struct field *field, const struct field_value *value)
{
	struct field_text text;

	if (!value->known) {
		json_text_put(out, "null");
	} else if (field_is_text(field)) {
		field_text_of(&text, field, value);
		return json_text_string(out, text.bytes, text.size);
	} else if (field->type == FIELD_FLOAT) {
		json_text_float(out, value->f64);
	} else if (field->type == FIELD_POINTER) {
		render_buffer_put_byte(out, '"');
		field_words_put(out, field, value);
		render_buffer_put_byte(out, '"');
	} else {
		field_words_put(out, field, value);
	}
	return true;
}

/* What the string could not say. */
static void put_bytes(struct render_buffer *out, const struct field *field,
	const struct field_value *value)
{
	struct field_text text;

	field_text_of(&text, field, value);
	json_text_put(out, ",\"bytes\":");
	json_text_base64(out, text.bytes, text.size);
}

void json_fields_begin(struct render_buffer *out, const struct field *field)
{
	json_text_put(out, "{\"name\":");
	json_text_word(out, field->name);
	json_text_put(out, ",\"type\":\"");
	render_buffer_put_string(out, json_fields_type(field->type));
	json_text_put(out, "\",\"value\":");
}

/* What most arguments are: numbers that need not be cut.  False: it is none. */
static bool put_number(struct render_buffer *out, const struct field *field,
	const struct render_argument *argument)
{
	const bool wide = argument->kind == BINLOG_ARG_I64;

	if (argument->kind != field->kind || field->size == FORMAT_CHAR ||
		field->size == FORMAT_SHORT ||
		(argument->kind != BINLOG_ARG_I32 && !wide))
		return false;
	if (field->type == FIELD_INTEGER)
		json_text_integer(out, wide ? argument->i64 : argument->i32);
	else if (field->type == FIELD_UNSIGNED && !wide &&
		 field->size == FORMAT_INT)
		json_text_unsigned(out, (uint32_t)argument->i32);
	else if (field->type == FIELD_UNSIGNED && wide &&
		 field->size != FORMAT_INT)
		json_text_unsigned(out, (uint64_t)argument->i64);
	else
		return false;
	return true;
}

void json_fields_put(struct render_buffer *out, const struct field *field,
	const struct message *message, struct render_buffer *scratch)
{
	struct field_value value;

	if (field->argument < message->count &&
		put_number(out, field, &message->arguments[field->argument]))
		return;
	value = field_value(field, message, scratch);
	if (!json_fields_value(out, field, &value))
		put_bytes(out, field, &value);
}

void json_fields_members(struct render_buffer *out,
	const struct message *message, struct render_buffer *scratch)
{
	const struct fields *fields = fields_of(message);
	size_t i;

	for (i = 0; i < fields->count; i++) {
		const struct field *field = &fields->all[i];
		struct field_value value = field_value(field, message, scratch);

		json_text_word(out, field->name);
		render_buffer_put_byte(out, ':');
		json_fields_value(out, field, &value);
		render_buffer_put_byte(out, ',');
	}
}
