#include "decoder/heph/heph_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id_map.h"
#include "base/limits.h"
#include "base/pack_table.h"
#include "base/render_buffer.h"
#include "decoder/capture/definition.h"
#include "decoder/capture/message.h"
#include "decoder/capture/unpacked_file.h"
#include "decoder/heph/heph_file.h"
#include "decoder/heph/heph_format.h"
#include "decoder/heph/heph_own.h"
#include "decoder/heph/heph_read.h"
#include "decoder/message/fields.h"
#include "record/format.h"
#include "record/hash.h"

/*
 * Events of a Heph trace as messages, so that all styles and filters take
 * them.  Used by the reader of such traces.  What binlog-show itself has
 * exported becomes what it was, as far as the trace says it; of others the
 * stream is the thread, and the text is the description with all attributes.
 */

struct heph_messages;

static void heph_messages_free(struct heph_messages *messages);
static struct message *heph_message(struct heph_messages *messages,
	const struct heph_event *event, struct cursor *attributes,
	uint64_t wall);

/*
 * The contexts of messages that are made of events of a Heph trace: one for
 * each format, function and stream.;
 * bounded, whatever
 * the trace says.
 */

/* So many arguments stand before those of the format if it is for syslog. */
#define HEPH_SITE_SYSLOG 4u
#define HEPH_SITE_ARGUMENTS_MAX (HEPH_SITE_SYSLOG + FORMAT_ARGUMENTS_MAX + 1)

/* What a context is made of. */
struct heph_site {
	uint16_t text; /* BINLOG_TEXT_FORMAT, _SYSLOG, _BYTES or _LOST */
	struct heph_string format;
	struct heph_string function;
	struct heph_string stream; /* as lines name it */
};

struct heph_sites {
	struct pool pool; /* of the messages that have the contexts */
	struct pack_table known;
	struct id_map contexts;		  /* to struct definition_context */
	struct definition_context common; /* of texts there is no room for */
	struct render_buffer key;
};

struct context {
	struct definition_context context;
	struct definition_string format;
	struct definition_string function;
	struct definition_stream stream;
	uint8_t kinds[HEPH_SITE_ARGUMENTS_MAX];
};

static const uint8_t text_kinds[] = {BINLOG_ARG_STRING};
static const uint8_t lost_kinds[] = {BINLOG_ARG_I64, BINLOG_ARG_I64};

static void heph_sites_begin(struct heph_sites *sites)
{
	*sites = (struct heph_sites){
		.common =
			{
				.text = BINLOG_TEXT_BYTES,
				.restored = true,
				.usable = true,
				.kinds = text_kinds,
				.arguments = 1,
			},
	};
}

static void heph_sites_end(struct heph_sites *sites)
{
	pool_free(&sites->pool);
	pack_table_free(&sites->known);
	render_buffer_free(&sites->key);
	id_map_free(&sites->contexts);
}

static struct definition_string copy_string(
	struct heph_sites *sites, const struct heph_string *string)
{
	return (struct definition_string){
		.bytes = pool_copy(&sites->pool, string->bytes, string->size),
		.length = string->size,
	};
}

static void fill_stream(struct heph_sites *sites, struct context *made,
	const struct heph_string *name)
{
	static const struct {
		const char *name;
		uint32_t flags;
		int32_t fd;
	} known[] = {
		{"stdout", BINLOG_STREAM_STDOUT, 1},
		{"stderr", BINLOG_STREAM_STDERR, 2},
		{"syslog", BINLOG_STREAM_SYSLOG, -1},
	};
	struct definition_string path = copy_string(sites, name);
	size_t i;

	made->stream.flags = BINLOG_STREAM_FILE;
	made->stream.fd = -1;
	made->stream.path = path.bytes;
	/* What is on one line is told by that. */
	made->stream.inode = binlog_hash(name->bytes, name->size);
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (path.bytes && strcmp(path.bytes, known[i].name) == 0) {
			made->stream.flags = known[i].flags;
			made->stream.fd = known[i].fd;
			made->stream.path = NULL;
			made->stream.inode = 0;
		}
	made->context.stream = &made->stream;
}

/* Those before the format's, and those of the format. */
static bool fill_kinds(struct context *made, const struct heph_site *site)
{
	static const uint8_t before[HEPH_SITE_SYSLOG] = {BINLOG_ARG_I32,
		BINLOG_ARG_I32, BINLOG_ARG_I32, BINLOG_ARG_STRING};
	bool has_errno;
	size_t used = 0;
	int count;

	if (site->text == BINLOG_TEXT_BYTES) {
		made->context.kinds = text_kinds;
		made->context.arguments = 1;
		return true;
	}
	if (site->text == BINLOG_TEXT_LOST) {
		made->context.kinds = lost_kinds;
		made->context.arguments = 2;
		return true;
	}
	made->context.kinds = made->kinds;
	if (site->text == BINLOG_TEXT_SYSLOG) {
		memcpy(made->kinds, before, sizeof(before));
		used = sizeof(before);
	}
	count = format_arguments(site->format.bytes, site->format.size,
		made->kinds + used, &has_errno);
	made->context.arguments = used + (count < 0 ? 0 : (size_t)count);
	return count != FORMAT_NONE;
}

static struct definition_context *make_context(
	struct heph_sites *sites, const struct heph_site *site, uint32_t id)
{
	struct context *made = pool_take(&sites->pool, sizeof(*made));

	if (!made)
		return NULL;
	memset(made, 0, sizeof(*made));
	made->context.id = id;
	made->context.text = site->text;
	made->context.restored = true;
	made->context.usable = true;
	made->function = copy_string(sites, &site->function);
	made->context.function = &made->function;
	fill_stream(sites, made, &site->stream);
	if (site->format.size > 0) {
		made->format = copy_string(sites, &site->format);
		made->context.format = &made->format;
		made->context.has_format = true;
	}
	return fill_kinds(made, site) ? &made->context : NULL;
}

static void put_key(struct render_buffer *key, const struct heph_string *part)
{
	uint32_t size = (uint32_t)part->size;

	render_buffer_put(key, &size, sizeof(size));
	render_buffer_put(key, part->bytes, part->size);
}

/* Null: there is no room for it, or its format is none. */
static struct definition_context *heph_site_context(
	struct heph_sites *sites, const struct heph_site *site)
{
	struct render_buffer *key = &sites->key;
	struct definition_context *context;
	struct pack_entry *entry;

	key->length = 0;
	render_buffer_put(key, &site->text, sizeof(site->text));
	put_key(key, &site->format);
	put_key(key, &site->function);
	put_key(key, &site->stream);
	if (key->failed)
		return NULL;
	entry = pack_table_find(&sites->known, key->data, key->length);
	if (entry)
		return id_map_find(&sites->contexts, entry->id);
	if (limits_reached(LIMIT_HEPH_PLACES, sites->known.count) ||
		limits_exceeded(LIMIT_HEPH_PLACE_BYTES,
			sites->known.bytes + sites->pool.bytes))
		return NULL;
	entry = pack_table_intern(&sites->known, key->data, key->length);
	if (!entry)
		return NULL;
	context = make_context(sites, site, entry->id);
	return context && id_map_set(&sites->contexts, entry->id, context)
		       ? context
		       : NULL;
}

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
	bool own_one; /* the message was exported by binlog-show */
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

/* Of a trace that this capture stands for.  Null: out of memory. */
static struct heph_messages *heph_messages_new(struct recording *capture)
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

/* Null is fine. */
static void heph_messages_free(struct heph_messages *messages)
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

	if (pid == 0 && name->size == sizeof(HEPH_FORMAT_FUNCTION) - 1 &&
		memcmp(name->bytes, HEPH_FORMAT_FUNCTION, name->size) == 0)
		return messages->foreign;
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
static struct message *as_text(
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

static struct message *foreign(struct heph_messages *messages,
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

/* Who has said it. */
static void name_thread(struct heph_messages *messages)
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
}

static struct message *own(struct heph_messages *messages,
	const struct heph_event *event, struct cursor attributes)
{
	const struct heph_own_value *values = messages->own.values;
	struct message *message = &messages->message;

	name_thread(messages);
	message->coroutine = event->substream;
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

/*
 * The message of an event at `wall`; the cursor is over its attributes, and is
 * left behind those that made sense.  Valid until the next call, and as long
 * as the packet is.  Null: out of memory.
 */
static struct message *heph_message(struct heph_messages *messages,
	const struct heph_event *event, struct cursor *attributes,
	uint64_t wall)
{
	struct cursor before = *attributes;
	struct message *made;

	messages->message = (struct message){
		.ticks = wall,
		.wall = wall,
		.pool = &messages->sites.pool,
		.capture = messages->capture,
		.arguments = messages->arguments,
	};
	messages->own_one = heph_own_read(&messages->own, *attributes);
	if (!messages->own_one) {
		made = foreign(messages, event, attributes);
		if (made && heph_own_is_span(&messages->own))
			name_thread(messages);
		return made && made->program ? made : NULL;
	}
	attributes->at = attributes->end;
	return own(messages, event, before);
}

/* Of what is missing before the message.  Null: there is no room for it. */
static struct definition_context *heph_lost_context(
	struct heph_messages *messages)
{
	return heph_site_context(&messages->sites,
		&(struct heph_site){
			.text = BINLOG_TEXT_LOST,
			.function = string_of(
				messages->own_one ? "" : HEPH_FORMAT_FUNCTION),
			.stream =
				messages->own_one
					? messages->own.values[HEPH_OWN_stream]
						  .text
					: string_of("trace"),
		});
}

struct heph_reader {
	struct heph_file file;
	struct recording *capture;
	struct heph_messages *messages;
	uint64_t epoch;
	bool found; /* the epoch */
	struct wall_segment clock;
	struct id_map counters; /* by stream, struct counter */
	struct pool pool;	/* of these */
	/* What is missing before a message that comes next: */
	struct message lost;
	struct render_argument missing[2];
	struct message *waiting; /* null: none does */
};

static void report(struct heph_reader *reader, enum error_code code,
	uint64_t offset, uint64_t number)
{
	error_add(reader->file.errors, &(struct error){
					       .code = code,
					       .file = reader->file.path,
					       .offset = offset,
					       .number = number,
				       });
}

bool heph_reader_is(const char *path)
{
	uint8_t begin[HEPH_HEAD_BYTES];
	size_t size;

	if (strcmp(path, PACKED_FILE_STDIN) != 0 || unpacked_file_find(path))
		return heph_file_is(path);
	size = unpacked_file_peek(begin, sizeof(begin));
	return heph_file_begins(begin, size);
}

/* Of several the last one holds.  False: there is none. */
static bool find_epoch(struct heph_file *file, uint64_t *epoch)
{
	struct heph_packet packet;
	bool found = false;

	while (heph_file_next(file, &packet)) {
		if (!packet.event)
			found = heph_read_epoch(packet.body, epoch) || found;
		if (file->held && file->at >= limits_of(LIMIT_HEPH_HELD))
			break;
	}
	return found;
}

/* False: not opened, and reported. */
static bool open_trace(
	struct heph_reader *reader, const char *path, struct error_list *errors)
{
	struct heph_file *file = &reader->file;
	struct heph_file first;

	if (strcmp(path, PACKED_FILE_STDIN) == 0 && !unpacked_file_find(path)) {
		heph_file_open_pipe(file, path);
		reader->found = find_epoch(file, &reader->epoch);
		heph_file_let_go(file, errors);
		return true;
	}
	if (!heph_file_open(file, path, errors))
		return false;
	if (heph_file_open(&first, path, NULL)) {
		reader->found = find_epoch(&first, &reader->epoch);
		heph_file_close(&first);
	}
	return true;
}

/* Packed, several traces with one epoch and name are told apart. */
static void describe_capture(struct heph_reader *reader)
{
	struct recording *capture = reader->capture;
	struct stat status;

	capture->header.clock = BINLOG_CLOCK_MONOTONIC;
	capture->header.start.realtime = reader->epoch;
	if (fstat(reader->file.fd, &status) != 0)
		return;
	capture->size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
	capture->header.nonce = binlog_hash_word(
		binlog_hash_word(status.st_dev, status.st_ino), reader->epoch);
}

struct heph_reader *heph_reader_new(
	const char *path, struct packed_captures *captures)
{
	struct heph_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->capture = packed_capture_make(captures, path);
	if (reader->capture)
		reader->messages = heph_messages_new(reader->capture);
	if (!reader->messages || !open_trace(reader, path, captures->errors)) {
		heph_messages_free(reader->messages);
		free(reader);
		return NULL;
	}
	describe_capture(reader);
	if (!reader->found)
		report(reader, ERROR_HEPH_EPOCH, 0, 0);
	return reader;
}

/* Not before it, and not later than can be said. */
static uint64_t wall_of(const struct heph_reader *reader, uint64_t time)
{
	return time > UINT64_MAX - reader->epoch ? UINT64_MAX
						 : reader->epoch + time;
}

struct counter {
	uint32_t next;
	uint64_t wall; /* of the last event */
};

/*
 * Counters go round.  One that goes back, or stays, is of a trace that does
 * not count, or of a stream that has begun anew.
 */
static struct counter *counter_of(struct heph_reader *reader, uint32_t stream)
{
	struct counter *counter;

	if (limits_reached(LIMIT_HEPH_STREAMS, reader->counters.count))
		return NULL;
	counter = pool_take(&reader->pool, sizeof(*counter));
	if (!counter || !id_map_set(&reader->counters, stream, counter)) {
		report(reader, ERROR_MEMORY, 0, 0);
		return NULL;
	}
	return counter;
}

/* How many are missing before it; *since becomes since when. */
static uint32_t count(struct heph_reader *reader,
	const struct heph_event *event, uint64_t offset, uint64_t *since)
{
	struct counter *counter = id_map_find(&reader->counters, event->stream);
	uint32_t missed = counter ? event->counter - counter->next : 0;

	if (missed > INT32_MAX)
		missed = 0;
	if (missed > 0) {
		report(reader, ERROR_HEPH_MISSED, offset, missed);
		reader->capture->dropped += missed;
		*since = counter->wall;
	}
	if (!counter)
		counter = counter_of(reader, event->stream);
	if (counter)
		*counter = (struct counter){
			event->counter + 1, wall_of(reader, event->start)};
	return missed;
}

/* An event of its own before the message, of whoever says that. */
static struct message *lost(struct heph_reader *reader, struct message *message,
	uint32_t missed, uint64_t since)
{
	uint64_t passed = since < message->wall ? message->wall - since : 0;
	struct definition_context *context =
		heph_lost_context(reader->messages);

	if (!context)
		return message;
	reader->missing[0] =
		(struct render_argument){.kind = BINLOG_ARG_I64, .i64 = missed};
	reader->missing[1] = (struct render_argument){
		.kind = BINLOG_ARG_I64, .i64 = (int64_t)passed};
	reader->lost = *message;
	reader->lost.context = context;
	reader->lost.arguments = reader->missing;
	reader->lost.count = context->arguments;
	reader->waiting = message;
	return &reader->lost;
}

static struct message *message_of(
	struct heph_reader *reader, struct heph_packet *packet)
{
	struct message *message;
	struct heph_event event;
	uint64_t since = 0;
	uint32_t missed;

	if (!heph_read_event(&packet->body, &event)) {
		report(reader, ERROR_HEPH_EVENT, packet->offset, 0);
		return NULL;
	}
	missed = count(reader, &event, packet->offset, &since);
	if (reader->clock.rate == 0)
		reader->clock = (struct wall_segment){
			.from = wall_of(reader, event.start),
			.span = UINT64_MAX,
			.realtime = wall_of(reader, event.start),
			.rate = 1,
		};
	reader->capture->read = reader->file.at;
	message = heph_message(reader->messages, &event, &packet->body,
		wall_of(reader, event.start));
	if (message)
		message->segment = &reader->clock;
	if (!message)
		report(reader, ERROR_MEMORY, packet->offset, 0);
	else if (cursor_left(&packet->body) > 0)
		report(reader, ERROR_HEPH_ATTRIBUTE, packet->offset,
			cursor_left(&packet->body));
	return message && missed > 0 ? lost(reader, message, missed, since)
				     : message;
}

/* It comes behind what could be held of a pipe: events were shown without it.
 */
static void check_epoch(
	struct heph_reader *reader, uint64_t offset, uint64_t epoch)
{
	if (reader->file.piped && (!reader->found || reader->epoch != epoch))
		report(reader, ERROR_HEPH_LATE, offset, offset);
}

const struct message *heph_reader_next(struct heph_reader *reader)
{
	struct message *message = reader->waiting;
	struct heph_packet packet;
	uint64_t epoch;

	reader->waiting = NULL;
	while (!message && heph_file_next(&reader->file, &packet)) {
		if (packet.event)
			message = message_of(reader, &packet);
		else if (!heph_read_epoch(packet.body, &epoch))
			report(reader, ERROR_HEPH_OPTION, packet.offset, 0);
		else if (packet.offset >= limits_of(LIMIT_HEPH_HELD))
			check_epoch(reader, packet.offset, epoch);
	}
	return message;
}

void heph_reader_free(struct heph_reader *reader)
{
	if (!reader)
		return;
	heph_file_close(&reader->file);
	heph_messages_free(reader->messages);
	id_map_free(&reader->counters);
	pool_free(&reader->pool);
	free(reader);
}
