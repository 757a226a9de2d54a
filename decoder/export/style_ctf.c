#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/pack_table.h"
#include "base/utf8_text.h"
#include "decoder/export/ctf_stream.h"
#include "decoder/message/category.h"
#include "decoder/message/fields.h"
#include "decoder/message/message_level.h"
#include "decoder/message/message_words.h"
#include "decoder/message/whole_call.h"
#include "decoder/names/frames.h"
#include "decoder/names/places.h"
#include "decoder/output/output_directory.h"
#include "decoder/output/spool.h"
#include "decoder/output/style.h"
#include "decoder/source/source.h"
#include "record/format.h"
#include "record/layout.h"

/*
 * The event classes of a CTF 1.8 trace: one for each place of a program that
 * calls, with a typed field for each argument.  Used by the style `ctf`, which
 * puts events together of what is said here; their declarations wait in a
 * spool until the metadata is written.
 */

struct ctf_classes {
	struct pack_table known;
	struct spool declarations;
	struct places *location; /* null: places are not named */
	struct render_buffer key;
	struct render_buffer scratch;
};

/* A longer name of a field is no word that a person would search for. */
#define NAME_MAX_BYTES 100u
#define TITLE_MAX_BYTES 200u
#define TEXT_NAME "text"

static void class_put_string(struct render_buffer *out, const char *string)
{
	render_buffer_put(out, string, strlen(string));
}

/* Appends text and its NUL. */
static void ctf_class_put_text(
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
		class_put_string(out, octal);
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
		class_put_string(out, "string");
		break;
	case FIELD_FLOAT:
		class_put_string(out,
			"floating_point { exp_dig = 11; mant_dig = 53; "
			"align = 8; }");
		break;
	default:
		snprintf(text, sizeof(text),
			"integer { size = %u; align = 8; signed = %s; "
			"base = %d; }",
			bits_of(field),
			field->type == FIELD_INTEGER ? "true" : "false",
			base_of(field));
		class_put_string(out, text);
	}
}

/* Readers take one `_` away: with it no name is a word of the language. */
static void put_name(struct render_buffer *out, const struct field *field)
{
	char number[32];

	if (strlen(field->name) <= NAME_MAX_BYTES &&
		strcmp(field->name, TEXT_NAME) != 0) {
		render_buffer_put_byte(out, '_');
		class_put_string(out, field->name);
		return;
	}
	snprintf(number, sizeof(number), "_arg%u", field->number);
	class_put_string(out, number);
}

static void put_fields(struct render_buffer *out, const struct fields *fields)
{
	size_t i;

	class_put_string(out, "\tfields := struct {\n");
	for (i = 0; i < fields->count; i++) {
		class_put_string(out, "\t\t");
		put_type(out, &fields->all[i]);
		render_buffer_put_byte(out, ' ');
		put_name(out, &fields->all[i]);
		class_put_string(out, ";\n");
	}
	class_put_string(out, "\t\tstring _" TEXT_NAME ";\n\t};\n};\n");
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
		class_put_string(out, place->file);
		snprintf(number, sizeof(number), ":%u", place->line);
		class_put_string(out, number);
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
	class_put_string(out, module);
	snprintf(offset, sizeof(offset), "+0x%" PRIx64,
		category_offset(message));
	class_put_string(out, offset);
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

	class_put_string(&text, "event {\n\tname = ");
	put_title(classes, message, &text);
	snprintf(line, sizeof(line),
		";\n\tid = %" PRIu32 ";\n\tstream_id = 0;\n\tloglevel = %d;\n",
		id, head->level);
	class_put_string(&text, line);
	if (head->site_bytes > 0) {
		utf8_text_put(&site, classes->key.data + sizeof(*head),
			head->site_bytes);
		class_put_string(&text, "\tmodel.emf.uri = ");
		put_literal(&text, site.data, site.length);
		class_put_string(&text, ";\n");
	}
	put_fields(&text, fields_of(message));
	spool_put(&classes->declarations, classes->declarations.size, text.data,
		text.length);
	render_buffer_free(&text);
	render_buffer_free(&site);
}

/*
 * The id of the message's class, which is declared.  Those beyond what can be
 * kept have one in common, which has no fields but the text: 0.
 */
static uint32_t ctf_class_of(
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

/* Appends the arguments as the class has them. */
static void ctf_class_put_values(struct ctf_classes *classes, uint32_t id,
	const struct message *message, struct render_buffer *out)
{
	const struct fields *fields = fields_of(message);
	size_t i;

	for (i = 0; id != 0 && i < fields->count; i++)
		put_value(classes, &fields->all[i], message, out);
}

static void ctf_classes_begin(
	struct ctf_classes *classes, struct places *location)
{
	static const char common[] =
		"event {\n\tname = \"?\";\n\tid = 0;\n\tstream_id = 0;\n"
		"\tfields := struct {\n\t\tstring _" TEXT_NAME ";\n\t};\n};\n";

	classes->location = location;
	spool_init(&classes->declarations);
	spool_put(&classes->declarations, 0, common, sizeof(common) - 1);
}

static void ctf_classes_end(struct ctf_classes *classes)
{
	pack_table_free(&classes->known);
	spool_free(&classes->declarations);
	render_buffer_free(&classes->key);
	render_buffer_free(&classes->scratch);
}

struct ctf {
	struct style_settings settings;
	struct ctf_classes classes;
	struct ctf_streams streams;
	struct whole_call call;
	struct ctf_author author;   /* of the call */
	uint32_t class_id;	    /* likewise */
	struct render_buffer event; /* likewise, up to its text */
	struct render_buffer scratch;
};

void *style_ctf_begin(const struct style_settings *settings)
{
	struct ctf *ctf = calloc(1, sizeof(*ctf));

	if (!ctf)
		return NULL;
	ctf->settings = *settings;
	ctf->call.pointers = settings->pointers;
	ctf->streams.directory = settings->output;
	ctf_classes_begin(&ctf->classes, settings->location);
	return ctf;
}

static void put_string(struct render_buffer *out, const char *string)
{
	ctf_class_put_text(out, string, strlen(string));
}

/* As ctf_stream_metadata has it. */
static void put_context(struct ctf *ctf, const struct message *message)
{
	struct render_buffer *out = &ctf->event;

	render_buffer_put(out, &message->pid, sizeof(message->pid));
	render_buffer_put(out, &message->tid, sizeof(message->tid));
	put_string(out, message->thread);
	put_string(out, message->program->name);
	ctf->scratch.length = 0;
	message_words_stream(message, &ctf->scratch);
	ctf_class_put_text(out, ctf->scratch.data, ctf->scratch.length);
}

static void begin_event(void *state, const struct message *message)
{
	struct ctf *ctf = state;

	ctf->author = (struct ctf_author){
		.program = message->program,
		.capture = message->capture,
		.tid = message->tid,
		.wall = message->wall,
	};
	ctf->class_id = ctf_class_of(&ctf->classes, message);
	ctf->event.length = 0;
	put_context(ctf, message);
	ctf_class_put_values(
		&ctf->classes, ctf->class_id, message, &ctf->event);
}

static void put_event(void *state)
{
	struct ctf *ctf = state;
	struct render_buffer *text = &ctf->call.text;
	size_t bytes = text->length;

	bytes -= bytes > 0 && text->data[bytes - 1] == '\n';
	ctf_class_put_text(&ctf->event, text->data, bytes);
	if (ctf->event.failed || text->failed) {
		ctf->settings.output->failed = ENOMEM;
		return;
	}
	ctf_streams_put(&ctf->streams, &ctf->author,
		&(struct ctf_event){
			.class_id = ctf->class_id,
			.body = ctf->event.data,
			.bytes = ctf->event.length,
		});
}

static const struct whole_call_parts parts = {
	.begin = begin_event,
	.end = put_event,
};

void style_ctf_message(void *state, const struct message *message)
{
	struct ctf *ctf = state;

	whole_call_message(&ctf->call, message, &parts, ctf);
}

static void put_losses(struct ctf *ctf)
{
	const struct style_settings *settings = &ctf->settings;
	struct recording *const *packed;
	size_t count = 0;
	size_t i;

	for (i = 0; i < settings->capture_count; i++)
		if (settings->captures[i]->dropped > 0)
			ctf_streams_lose(&ctf->streams, settings->captures[i],
				settings->captures[i]->dropped);
	packed = settings->messages ? source_packed(settings->messages, &count)
				    : NULL;
	for (i = 0; i < count; i++)
		if (packed[i]->dropped > 0)
			ctf_streams_lose(
				&ctf->streams, packed[i], packed[i]->dropped);
}

static void put_metadata(struct ctf *ctf)
{
	static const char begin[] = "/* CTF 1.8 */\n\n";
	struct output *directory = ctf->settings.output;
	struct output file;

	if (!output_directory_begin(directory, "metadata", &file))
		return;
	render_buffer_put(&file.text, begin, sizeof(begin) - 1);
	render_buffer_put(
		&file.text, ctf_stream_metadata, strlen(ctf_stream_metadata));
	if (!spool_give_out(&ctf->classes.declarations, &file) &&
		file.failed == 0)
		file.failed = errno;
	output_directory_end(directory, &file);
}

void style_ctf_end(void *state)
{
	struct ctf *ctf = state;

	if (ctf->call.open)
		put_event(ctf);
	put_losses(ctf);
	ctf_streams_end(&ctf->streams);
	put_metadata(ctf);
	ctf_classes_end(&ctf->classes);
	render_buffer_free(&ctf->call.text);
	render_buffer_free(&ctf->event);
	render_buffer_free(&ctf->scratch);
	free(ctf);
}
