#include "decoder/export/ctf_class.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/utf8_text.h"
#include "decoder/message/category.h"
#include "decoder/message/message_level.h"
#include "decoder/names/frames.h"
#include "record/format.h"
#include "record/layout.h"

/* A longer name of a field is no word that a person would search for. */
#define NAME_MAX_BYTES 100u
#define TITLE_MAX_BYTES 200u
#define TEXT_NAME "text"

static void put_string(struct render_buffer *out, const char *string)
{
	render_buffer_put(out, string, strlen(string));
}

void ctf_class_put_text(
	struct render_buffer *out, const char *bytes, size_t size)
{
	utf8_text_put(out, bytes, size);
	render_buffer_put_byte(out, '\0');
}

/* A literal as TSDL has it, which is as C has it. */
static void put_literal(
	struct render_buffer *out, const char *bytes, size_t size)
{
	size_t i;

	render_buffer_put_byte(out, '"');
	for (i = 0; i < size; i++) {
		char octal[8];
		uint8_t byte = (uint8_t)bytes[i];

		if (byte >= ' ' && byte != 0x7f && byte != '"' &&
			byte != '\\') {
			render_buffer_put_byte(out, bytes[i]);
			continue;
		}
		snprintf(octal, sizeof(octal), "\\%03o", byte);
		put_string(out, octal);
	}
	render_buffer_put_byte(out, '"');
}

static unsigned bits_of(const struct field *field)
{
	if (field->kind == BINLOG_ARG_I64)
		return 64;
	if (field->type == FIELD_CHARACTER)
		return field->size == FORMAT_LONG ? 32 : 8;
	if (field->size == FORMAT_CHAR)
		return 8;
	return field->size == FORMAT_SHORT ? 16 : 32;
}

static int base_of(const struct field *field)
{
	switch (field->conversion) {
	case 'x':
	case 'X':
	case 'p':
		return 16;
	case 'o':
		return 8;
	case 'b':
	case 'B':
		return 2;
	}
	return 10;
}

static void put_type(struct render_buffer *out, const struct field *field)
{
	char text[96];

	switch (field->type) {
	case FIELD_TEXT:
		put_string(out, "string");
		break;
	case FIELD_FLOAT:
		put_string(out, "floating_point { exp_dig = 11; mant_dig = 53; "
				"align = 8; }");
		break;
	default:
		snprintf(text, sizeof(text),
			"integer { size = %u; align = 8; signed = %s; "
			"base = %d; }",
			bits_of(field),
			field->type == FIELD_INTEGER ? "true" : "false",
			base_of(field));
		put_string(out, text);
	}
}

/* Readers take one `_` away: with it no name is a word of the language. */
static void put_name(struct render_buffer *out, const struct field *field)
{
	char number[32];

	if (strlen(field->name) <= NAME_MAX_BYTES &&
		strcmp(field->name, TEXT_NAME) != 0) {
		render_buffer_put_byte(out, '_');
		put_string(out, field->name);
		return;
	}
	snprintf(number, sizeof(number), "_arg%u", field->number);
	put_string(out, number);
}

static void put_fields(struct render_buffer *out, const struct fields *fields)
{
	size_t i;

	put_string(out, "\tfields := struct {\n");
	for (i = 0; i < fields->count; i++) {
		put_string(out, "\t\t");
		put_type(out, &fields->all[i]);
		render_buffer_put_byte(out, ' ');
		put_name(out, &fields->all[i]);
		put_string(out, ";\n");
	}
	put_string(out, "\t\tstring _" TEXT_NAME ";\n\t};\n};\n");
}

/* The format, or what was called; neither is of any length. */
static void put_title(struct ctf_classes *classes,
	const struct message *message, struct render_buffer *out)
{
	const struct definition_string *title = message_format(message);
	struct render_buffer *scratch = &classes->scratch;
	size_t length;

	if (!title || title->length == 0)
		title = message->context->function;
	scratch->length = 0;
	if (title && title->bytes)
		utf8_text_put(scratch, title->bytes,
			utf8_text_fit(
				title->bytes, title->length, TITLE_MAX_BYTES));
	length = scratch->length;
	while (length > 1 && scratch->data[length - 1] == '\n')
		length--;
	put_literal(out, length > 0 ? scratch->data : "?", length ? length : 1);
}

/* As CTF numbers them: what is below `debug` stands before it. */
static int level_of(const struct message *message)
{
	static const uint8_t levels[] = {
		0, 1, 2, 3, 4, 5, 6, 14, 13, 8, 11, 10};
	int level = message_level(message);

	return level >= 0 && (size_t)level < sizeof(levels) ? levels[level]
							    : 14;
}

static void put_place(void *closure, const struct place *place)
{
	struct render_buffer *out = closure;
	char number[32];

	if (place->file) {
		put_string(out, place->file);
		snprintf(number, sizeof(number), ":%u", place->line);
		put_string(out, number);
	}
}

/* file:line if that is asked for, else module+offset; nothing: not known. */
static void put_site(struct ctf_classes *classes, const struct message *message,
	struct render_buffer *out)
{
	const char *module = category_module(message);
	size_t before = out->length;
	char offset[32];

	if (classes->location)
		frames_author(classes->location, message, put_place, out);
	if (out->length > before || !module)
		return;
	put_string(out, module);
	snprintf(offset, sizeof(offset), "+0x%" PRIx64,
		category_offset(message));
	put_string(out, offset);
}

struct key_head {
	int32_t level;
	uint32_t fields;
	uint32_t site_bytes;
	uint32_t function_bytes;
};

static void put_key_string(
	struct render_buffer *key, const struct definition_string *string)
{
	if (string && string->bytes)
		render_buffer_put(key, string->bytes, string->length);
}

/* All that is the same in events of one class. */
static struct key_head make_key(
	struct ctf_classes *classes, const struct message *message)
{
	struct render_buffer *key = &classes->key;
	struct key_head head = {
		.level = level_of(message),
		.fields = (uint32_t)fields_of(message)->count,
	};
	size_t before;

	key->length = 0;
	render_buffer_fill(key, 0, sizeof(head));
	before = key->length;
	put_site(classes, message, key);
	head.site_bytes = (uint32_t)(key->length - before);
	before = key->length;
	put_key_string(key, message->context->function);
	head.function_bytes = (uint32_t)(key->length - before);
	put_key_string(key, message_format(message));
	if (!key->failed)
		memcpy(key->data, &head, sizeof(head));
	return head;
}

static void declare(struct ctf_classes *classes, uint32_t id,
	const struct key_head *head, const struct message *message)
{
	struct render_buffer text = {0};
	struct render_buffer site = {0};
	char line[64];

	put_string(&text, "event {\n\tname = ");
	put_title(classes, message, &text);
	snprintf(line, sizeof(line),
		";\n\tid = %" PRIu32 ";\n\tstream_id = 0;\n\tloglevel = %d;\n",
		id, head->level);
	put_string(&text, line);
	if (head->site_bytes > 0) {
		utf8_text_put(&site, classes->key.data + sizeof(*head),
			head->site_bytes);
		put_string(&text, "\tmodel.emf.uri = ");
		put_literal(&text, site.data, site.length);
		put_string(&text, ";\n");
	}
	put_fields(&text, fields_of(message));
	spool_put(&classes->declarations, classes->declarations.size, text.data,
		text.length);
	render_buffer_free(&text);
	render_buffer_free(&site);
}

uint32_t ctf_class_of(
	struct ctf_classes *classes, const struct message *message)
{
	struct key_head head = make_key(classes, message);
	const struct render_buffer *key = &classes->key;
	const struct pack_entry *entry;

	if (key->failed)
		return 0;
	entry = pack_table_find(&classes->known, key->data, key->length);
	if (entry)
		return entry->id;
	if (limits_exceeded(LIMIT_CTF_CLASSES, classes->known.bytes))
		return 0;
	entry = pack_table_intern(&classes->known, key->data, key->length);
	if (!entry)
		return 0;
	declare(classes, entry->id, &head, message);
	return entry->id;
}

static void put_value(struct ctf_classes *classes, const struct field *field,
	const struct message *message, struct render_buffer *out)
{
	struct field_value value =
		field_value(field, message, &classes->scratch);

	switch (field->type) {
	case FIELD_TEXT:
		if (value.known)
			ctf_class_put_text(out, value.text, value.bytes);
		else
			ctf_class_put_text(out, "(null)", 6);
		break;
	case FIELD_FLOAT:
		if (!value.known)
			value.f64 = NAN;
		render_buffer_put(out, &value.f64, sizeof(value.f64));
		break;
	default:
		render_buffer_put(out, &value.u64, bits_of(field) / 8);
	}
}

void ctf_class_put_values(struct ctf_classes *classes, uint32_t id,
	const struct message *message, struct render_buffer *out)
{
	const struct fields *fields = fields_of(message);
	size_t i;

	for (i = 0; id != 0 && i < fields->count; i++)
		put_value(classes, &fields->all[i], message, out);
}

void ctf_classes_begin(struct ctf_classes *classes, struct places *location)
{
	static const char common[] =
		"event {\n\tname = \"?\";\n\tid = 0;\n\tstream_id = 0;\n"
		"\tfields := struct {\n\t\tstring _" TEXT_NAME ";\n\t};\n};\n";

	classes->location = location;
	spool_init(&classes->declarations);
	spool_put(&classes->declarations, 0, common, sizeof(common) - 1);
}

void ctf_classes_end(struct ctf_classes *classes)
{
	pack_table_free(&classes->known);
	spool_free(&classes->declarations);
	render_buffer_free(&classes->key);
	render_buffer_free(&classes->scratch);
}
