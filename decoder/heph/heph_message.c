#include "decoder/heph/heph_message.h"

#include <stdlib.h>

#include "base/limits.h"
#include "decoder/heph/heph_format.h"
#include "decoder/heph/heph_own.h"
#include "decoder/heph/heph_site.h"
#include "decoder/message/fields.h"

#define THREAD_BYTES 64u

struct heph_messages {
	struct recording *capture;
	struct heph_sites sites;
	struct pack_table programs;
	struct program *foreign; /* of traces that are not ours */
	struct heph_format format;
	struct heph_own own;
	struct render_buffer key;
	struct render_buffer text;
	struct render_buffer scratch;
	struct render_argument arguments[HEPH_SITE_ARGUMENTS_MAX];
	char thread[THREAD_BYTES];
	struct message message;
};

static struct heph_string string_of(const char *string)
{
	return (struct heph_string){string, strlen(string)};
}

static void name_program(struct heph_messages *messages,
	struct program *program, const struct heph_string *name)
{
	program_set(&messages->capture->programs, program,
		&(struct program_description){
			.executable = name->bytes,
			.executable_bytes = name->size,
			.directory = "",
		});
}

struct heph_messages *heph_messages_new(struct recording *capture)
{
	struct heph_messages *messages = calloc(1, sizeof(*messages));
	struct heph_string name = string_of(HEPH_FORMAT_FUNCTION);

	if (!messages)
		return NULL;
	messages->capture = capture;
	messages->foreign = program_find(&capture->programs, 0, 0);
	heph_sites_begin(&messages->sites);
	if (!messages->foreign) {
		heph_messages_free(messages);
		return NULL;
	}
	name_program(messages, messages->foreign, &name);
	return messages;
}

void heph_messages_free(struct heph_messages *messages)
{
	if (!messages)
		return;
	heph_sites_end(&messages->sites);
	pack_table_free(&messages->programs);
	heph_format_free(&messages->format);
	render_buffer_free(&messages->key);
	render_buffer_free(&messages->text);
	render_buffer_free(&messages->scratch);
	free(messages);
}

/* Several with one pid are told apart by their names. */
static struct program *find_program(struct heph_messages *messages,
	uint32_t pid, const struct heph_string *name)
{
	struct pack_table *known = &messages->programs;
	struct render_buffer *key = &messages->key;
	const struct pack_entry *entry;
	struct program *program;
	bool new;

	key->length = 0;
	render_buffer_put(key, &pid, sizeof(pid));
	render_buffer_put(key, name->bytes, name->size);
	if (key->failed)
		return NULL;
	entry = pack_table_find(known, key->data, key->length);
	new = !entry;
	if (new && (limits_reached(LIMIT_HEPH_PROCESSES, known->count) ||
			   limits_exceeded(LIMIT_HEPH_NAMES, known->bytes)))
		return messages->foreign;
	if (new)
		entry = pack_table_intern(known, key->data, key->length);
	program = entry ? program_find(
				  &messages->capture->programs, pid, entry->id)
			: NULL;
	if (program && new)
		name_program(messages, program, name);
	return program;
}

/* The text as it is, made by this site.  Null: out of memory. */
static const struct message *as_text(
	struct heph_messages *messages, struct heph_site site)
{
	struct message *message = &messages->message;
	struct definition_context *context;

	site.text = BINLOG_TEXT_BYTES;
	context = heph_site_context(&messages->sites, &site);
	message->context = context ? context : &messages->sites.common;
	messages->arguments[0] = (struct render_argument){
		.kind = BINLOG_ARG_STRING,
		.bytes = (uint32_t)messages->text.length,
		.data = messages->text.data,
	};
	message->count = 1;
	return messages->text.failed ? NULL : message;
}

static const struct message *foreign(struct heph_messages *messages,
	const struct heph_event *event, struct cursor *attributes)
{
	struct heph_format *format = &messages->format;
	struct message *message = &messages->message;
	struct definition_context *context;

	heph_format_make(format, event, attributes);
	context = heph_site_context(&messages->sites,
		&(struct heph_site){
			.text = BINLOG_TEXT_FORMAT,
			.format = {format->text.data, format->text.length},
			.function = string_of(HEPH_FORMAT_FUNCTION),
			.stream = string_of("trace"),
		});
	message->program = messages->foreign;
	message->pid = 0;
	message->tid = event->stream;
	message->thread = "";
	memcpy(messages->arguments, format->arguments,
		format->count * sizeof(format->arguments[0]));
	message->count = format->count;
	if (context) {
		message->context = context;
		return format->text.failed ? NULL : message;
	}
	messages->text.length = 0;
	render_format(&messages->text, format->text.data, format->text.length,
		format->arguments, format->count, NULL, LIBC_UNNAMED);
	return as_text(
		messages, (struct heph_site){
				  .function = string_of(HEPH_FORMAT_FUNCTION),
				  .stream = string_of("trace"),
			  });
}

/* All that the call has written. */
static void join_text(
	struct heph_messages *messages, const struct heph_event *event)
{
	struct heph_own *own = &messages->own;
	struct render_buffer *text = &messages->text;
	unsigned i;

	text->length = 0;
	render_buffer_put(
		text, event->description.bytes, event->description.size);
	for (i = 0; i < own->rest_count; i++) {
		struct heph_string part = heph_read_string(&own->rest);

		render_buffer_put(text, part.bytes, part.size);
	}
	if (own->values[HEPH_OWN_newline].number != 0)
		render_buffer_put_byte(text, '\n');
}

static void put_syslog(struct heph_messages *messages)
{
	const struct heph_own_value *values = messages->own.values;
	struct render_argument *arguments = messages->arguments;
	bool has_ident = values[HEPH_OWN_ident].known;

	memset(arguments, 0, HEPH_SITE_SYSLOG * sizeof(arguments[0]));
	arguments[0].kind = arguments[1].kind = arguments[2].kind =
		BINLOG_ARG_I32;
	arguments[0].i32 = (int32_t)values[HEPH_OWN_priority].number;
	arguments[3] = (struct render_argument){
		.kind = BINLOG_ARG_STRING,
		.null = !has_ident,
		.bytes = (uint32_t)values[HEPH_OWN_ident].text.size,
		.data = values[HEPH_OWN_ident].text.bytes,
	};
}

/* An attribute as the argument that it was.  False: it cannot be. */
static bool take_argument(const struct heph_attribute *attribute,
	struct cursor *values, struct render_argument *argument)
{
	struct heph_string text;

	if (attribute->array)
		return false;
	if (attribute->type == HEPH_STRING) {
		text = heph_read_string(values);
		argument->data = text.bytes;
		argument->bytes = (uint32_t)text.size;
		return argument->kind == BINLOG_ARG_STRING;
	}
	if (attribute->type == HEPH_FLOAT) {
		argument->f64 = heph_read_float(values);
		return argument->kind == BINLOG_ARG_F64;
	}
	argument->i64 = (int64_t)heph_read_number(values);
	if (argument->kind == BINLOG_ARG_I32)
		argument->i32 = (int32_t)argument->i64;
	return argument->kind == BINLOG_ARG_I32 ||
	       argument->kind == BINLOG_ARG_I64;
}

static bool take_arguments(
	struct heph_messages *messages, struct cursor attributes)
{
	struct message *message = &messages->message;
	const struct fields *fields = fields_of(message);
	struct heph_attribute attribute;
	size_t i;

	if (fields->count != messages->own.arguments)
		return false;
	for (i = 0; i < fields->count; i++)
		if (!heph_read_attribute(&attributes, &attribute) ||
			!take_argument(&attribute, &attributes,
				&messages->arguments[fields->all[i].argument]))
			return false;
	return true;
}

/* Whether the format with these arguments makes the text that was exported. */
static bool makes_text(struct heph_messages *messages)
{
	struct render_buffer *made = &messages->scratch;

	made->length = 0;
	message_text(&messages->message, made);
	return !made->failed && made->length == messages->text.length &&
	       (made->length == 0 || memcmp(made->data, messages->text.data,
					     made->length) == 0);
}

/* The call itself.  False: what the trace has is not enough for that. */
static bool as_call(struct heph_messages *messages, struct cursor attributes)
{
	const struct heph_own_value *values = messages->own.values;
	bool syslog = values[HEPH_OWN_priority].known;
	struct message *message = &messages->message;
	struct definition_context *context;
	size_t i;

	context = heph_site_context(&messages->sites,
		&(struct heph_site){
			.text = syslog ? BINLOG_TEXT_SYSLOG
				       : BINLOG_TEXT_FORMAT,
			.format = values[HEPH_OWN_format].text,
			.function = values[HEPH_OWN_function].text,
			.stream = values[HEPH_OWN_stream].text,
		});
	if (!context)
		return false;
	message->context = context;
	message->count = context->arguments;
	for (i = 0; i < message->count; i++)
		messages->arguments[i] =
			(struct render_argument){.kind = context->kinds[i]};
	if (syslog)
		put_syslog(messages);
	return take_arguments(messages, attributes) && makes_text(messages);
}

/* False: the text cannot be said as one that went to syslog. */
static bool as_syslog(struct heph_messages *messages)
{
	const struct heph_own_value *values = messages->own.values;
	struct definition_context *context;

	if (!values[HEPH_OWN_priority].known)
		return false;
	context = heph_site_context(&messages->sites,
		&(struct heph_site){
			.text = BINLOG_TEXT_SYSLOG,
			.format = string_of("%s"),
			.function = values[HEPH_OWN_function].text,
			.stream = values[HEPH_OWN_stream].text,
		});
	if (!context)
		return false;
	put_syslog(messages);
	messages->message.context = context;
	messages->message.count = HEPH_SITE_SYSLOG + 1;
	messages->arguments[HEPH_SITE_SYSLOG] = (struct render_argument){
		.kind = BINLOG_ARG_STRING,
		.bytes = (uint32_t)messages->text.length,
		.data = messages->text.data,
	};
	return true;
}

static const struct message *own(struct heph_messages *messages,
	const struct heph_event *event, struct cursor attributes)
{
	const struct heph_own_value *values = messages->own.values;
	const struct heph_string *thread = &values[HEPH_OWN_thread].text;
	struct message *message = &messages->message;
	size_t bytes =
		thread->size < THREAD_BYTES ? thread->size : THREAD_BYTES - 1;

	message->pid = (uint32_t)values[HEPH_OWN_pid].number;
	message->tid = (uint32_t)values[HEPH_OWN_tid].number;
	if (bytes > 0)
		memcpy(messages->thread, thread->bytes, bytes);
	messages->thread[bytes] = '\0';
	message->thread = messages->thread;
	message->program = find_program(
		messages, message->pid, &values[HEPH_OWN_program].text);
	join_text(messages, event);
	if (!message->program || messages->text.failed)
		return NULL;
	if (values[HEPH_OWN_format].known && as_call(messages, attributes))
		return message;
	if (as_syslog(messages))
		return message;
	return as_text(
		messages, (struct heph_site){
				  .format = values[HEPH_OWN_format].text,
				  .function = values[HEPH_OWN_function].text,
				  .stream = values[HEPH_OWN_stream].text,
			  });
}

const struct message *heph_message(struct heph_messages *messages,
	const struct heph_event *event, struct cursor *attributes,
	uint64_t wall)
{
	struct cursor before = *attributes;

	messages->message = (struct message){
		.ticks = wall,
		.wall = wall,
		.pool = &messages->sites.pool,
		.capture = messages->capture,
		.arguments = messages->arguments,
	};
	if (!heph_own_read(&messages->own, *attributes))
		return foreign(messages, event, attributes);
	attributes->at = attributes->end;
	return own(messages, event, before);
}
