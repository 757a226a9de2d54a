#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/id_map.h"
#include "base/limits.h"
#include "base/pack_table.h"
#include "base/utf8_read.h"
#include "decoder/capture/message.h"
#include "decoder/message/category.h"
#include "decoder/message/fields.h"
#include "decoder/message/message_level.h"
#include "decoder/message/whole_call.h"
#include "decoder/names/frames.h"
#include "decoder/names/locations.h"
#include "decoder/output/output.h"
#include "decoder/output/output_directory.h"
#include "decoder/output/spool.h"
#include "decoder/output/style.h"
#include "decoder/source/source.h"
#include "record/format.h"
#include "record/layout.h"

/*
 * The streams of a CTF 1.8 trace: a file each, of packets.  Used by the style
 * `ctf`.  A thread has a stream of its own, as long as they are not too many;
 * times in a stream never go back, as readers demand.  Memory is bounded.
 */

/* Threads beyond these share streams: each event has its own.  A power of two.
 */
#define CTF_STREAMS_MAX 1024u

struct ctf_stream {
	const struct program *program; /* null: nobody has it */
	uint32_t tid;
	const struct recording *capture;
	uint64_t number; /* among all files */
	uint64_t packets;
	uint64_t begin; /* of the packet, nanoseconds since 1970 */
	uint64_t last;
	uint64_t lost;		     /* events, so far */
	struct render_buffer packet; /* empty: none has begun */
};

struct ctf_streams {
	struct output *directory;
	struct ctf_stream all[CTF_STREAMS_MAX];
	uint64_t files;
	size_t waiting; /* bytes in all packets */
};

/* Who made an event, when. */
struct ctf_author {
	const struct program *program;
	const struct recording *capture;
	uint32_t tid;
	uint64_t wall;
};

/* The class of an event, and all that follows its header. */
struct ctf_event {
	uint32_t class_id;
	const char *body;
	size_t bytes;
};

/* What of the metadata tells how packets and events begin. */
extern const char ctf_stream_metadata[];

#define MAGIC 0xc1fc1fc1u
/* A packet is written when it is as large; a larger event has its own. */
#define PACKET_BYTES ((size_t)64 << 10)
/* More than this does not wait in all packets together. */
#define WAITING_MAX ((size_t)16 << 20)

/* As ctf_stream_metadata says.  Bits, where it is not nanoseconds. */
struct head {
	uint32_t magic;
	uint32_t stream_class;
	uint64_t stream;
	uint64_t begin;
	uint64_t end;
	uint64_t content;
	uint64_t size;
	uint64_t number;
	uint64_t lost;
};

_Static_assert(sizeof(struct head) == 64, "");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "of the metadata");

#define WORD "integer { size = 32; align = 8; signed = false; }"
#define LONG "integer { size = 64; align = 8; signed = false; }"
#define TIME                                                                   \
	"integer { size = 64; align = 8; signed = false; "                     \
	"map = clock.wall.value; }"

const char ctf_stream_metadata[] =
	"trace {\n"
	"\tmajor = 1;\n"
	"\tminor = 8;\n"
	"\tbyte_order = le;\n"
	"\tpacket.header := struct {\n"
	"\t\t" WORD " magic;\n"
	"\t\t" WORD " stream_id;\n"
	"\t\t" LONG " stream_instance_id;\n"
	"\t};\n};\n"
	"clock {\n"
	"\tname = wall;\n"
	"\tdescription = \"nanoseconds since 1970\";\n"
	"\tfreq = 1000000000;\n"
	"\toffset_s = 0;\n"
	"\toffset = 0;\n"
	"\tabsolute = true;\n};\n"
	"stream {\n"
	"\tid = 0;\n"
	"\tpacket.context := struct {\n"
	"\t\t" TIME " timestamp_begin;\n"
	"\t\t" TIME " timestamp_end;\n"
	"\t\t" LONG " content_size;\n"
	"\t\t" LONG " packet_size;\n"
	"\t\t" LONG " packet_seq_num;\n"
	"\t\t" LONG " events_discarded;\n"
	"\t};\n"
	"\tevent.header := struct {\n"
	"\t\t" WORD " id;\n"
	"\t\t" TIME " timestamp;\n"
	"\t};\n"
	"\tevent.context := struct {\n"
	"\t\t" WORD " _pid;\n"
	"\t\t" WORD " _tid;\n"
	"\t\tstring _thread;\n"
	"\t\tstring _program;\n"
	"\t\tstring _stream;\n"
	"\t};\n};\n";

static void stream_put_name(char name[32], const struct ctf_stream *stream)
{
	snprintf(name, 32, "stream_%llu", (unsigned long long)stream->number);
}

static void begin_packet(struct ctf_stream *stream, uint64_t wall)
{
	stream->begin = stream->last = wall;
	render_buffer_fill(&stream->packet, 0, sizeof(struct head));
}

static void begin_file(struct ctf_streams *streams, struct ctf_stream *stream)
{
	stream->number = streams->files++;
	stream->packets = stream->lost = 0;
}

static void write_packet(struct ctf_streams *streams, struct ctf_stream *stream)
{
	struct render_buffer *packet = &stream->packet;
	struct head head = {
		.magic = MAGIC,
		.stream = stream->number,
		.begin = stream->begin,
		.end = stream->last,
		.content = (uint64_t)packet->length * 8,
		.size = (uint64_t)packet->length * 8,
		.number = stream->packets,
		.lost = stream->lost,
	};
	char name[32];

	if (packet->length < sizeof(head))
		return;
	streams->waiting -= packet->length;
	memcpy(packet->data, &head, sizeof(head));
	stream_put_name(name, stream);
	output_directory_append(
		streams->directory, name, stream->packets == 0, packet);
	stream->packets++;
}

static void write_all(struct ctf_streams *streams)
{
	size_t i;

	for (i = 0; i < CTF_STREAMS_MAX; i++) {
		write_packet(streams, &streams->all[i]);
		render_buffer_free(&streams->all[i].packet);
	}
}

/* Of this thread; of another one if there is no room for it. */
static struct ctf_stream *find(
	struct ctf_streams *streams, const struct ctf_author *author)
{
	size_t hash =
		id_map_hash(author->tid) ^ (uintptr_t)author->program / 64;
	size_t i;

	for (i = 0; i < CTF_STREAMS_MAX; i++) {
		struct ctf_stream *stream =
			&streams->all[(hash + i) % CTF_STREAMS_MAX];

		if (stream->program == author->program &&
			stream->tid == author->tid)
			return stream;
		if (stream->program)
			continue;
		stream->program = author->program;
		stream->tid = author->tid;
		stream->capture = author->capture;
		begin_file(streams, stream);
		return stream;
	}
	return &streams->all[hash % CTF_STREAMS_MAX];
}

/* Ready for an event at this time, or at a later one that is returned. */
static uint64_t prepare(struct ctf_streams *streams, struct ctf_stream *stream,
	uint64_t wall, size_t bytes)
{
	size_t length = stream->packet.length;

	if (wall > INT64_MAX)
		wall = INT64_MAX; /* readers have no later time */
	if (wall < stream->last &&
		!limits_reached(LIMIT_CTF_FILES, streams->files)) {
		write_packet(streams, stream);
		begin_file(streams, stream);
	} else if (wall < stream->last) {
		wall = stream->last;
	}
	if (length > 0 && PACKET_BYTES - bytes < length)
		write_packet(streams, stream);
	if (stream->packet.length == 0) {
		begin_packet(stream, wall);
		streams->waiting += stream->packet.length;
	}
	return wall;
}

static void ctf_streams_put(struct ctf_streams *streams,
	const struct ctf_author *author, const struct ctf_event *event)
{
	struct ctf_stream *stream = find(streams, author);
	size_t bytes = sizeof(uint32_t) + sizeof(uint64_t) + event->bytes;
	uint64_t wall = prepare(streams, stream, author->wall,
		bytes < PACKET_BYTES ? bytes : PACKET_BYTES);

	render_buffer_put(&stream->packet, &event->class_id, sizeof(uint32_t));
	render_buffer_put(&stream->packet, &wall, sizeof(wall));
	render_buffer_put(&stream->packet, event->body, event->bytes);
	stream->last = wall;
	streams->waiting += bytes;
	if (streams->waiting > WAITING_MAX)
		write_all(streams);
}

/* A loss is the difference between two packets: the last one is empty. */
static void put_loss(
	struct ctf_streams *streams, struct ctf_stream *stream, uint64_t count)
{
	write_packet(streams, stream);
	stream->lost += count;
	begin_packet(stream, stream->last);
	streams->waiting += stream->packet.length;
	write_packet(streams, stream);
}

/* So many events of the capture are lost. */
static void ctf_streams_lose(struct ctf_streams *streams,
	const struct recording *capture, uint64_t count)
{
	size_t i;

	for (i = 0; i < CTF_STREAMS_MAX; i++)
		if (streams->all[i].program &&
			streams->all[i].capture == capture) {
			put_loss(streams, &streams->all[i], count);
			return;
		}
}

/* Writes what waits, and frees everything. */
static void ctf_streams_end(struct ctf_streams *streams)
{
	write_all(streams);
}

/*
 * The event classes of a CTF 1.8 trace: one for each place of a program that
 * calls, with a typed field for each argument.  Used by the style `ctf`, which
 * puts events together of what is said here; their declarations wait in a
 * spool until the metadata is written.
 */

struct ctf_classes {
	struct pack_table known;
	struct spool declarations;
	struct locations *location; /* null: they are not named */
	struct render_buffer key;
	struct render_buffer scratch;
};

/* A longer name of a field is no word that a person would search for. */
#define NAME_MAX_BYTES 100u
#define TITLE_MAX_BYTES 200u
#define TEXT_NAME "text"

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
		render_buffer_put_string(out, octal);
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
		render_buffer_put_string(out, "string");
		break;
	case FIELD_FLOAT:
		render_buffer_put_string(out,
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
		render_buffer_put_string(out, text);
	}
}

/* Readers take one `_` away: with it no name is a word of the language. */
static void put_name(struct render_buffer *out, const struct field *field)
{
	char number[32];

	if (strlen(field->name) <= NAME_MAX_BYTES &&
		strcmp(field->name, TEXT_NAME) != 0) {
		render_buffer_put_byte(out, '_');
		render_buffer_put_string(out, field->name);
		return;
	}
	snprintf(number, sizeof(number), "_arg%u", field->number);
	render_buffer_put_string(out, number);
}

static void put_fields(struct render_buffer *out, const struct fields *fields)
{
	size_t i;

	render_buffer_put_string(out, "\tfields := struct {\n");
	for (i = 0; i < fields->count; i++) {
		render_buffer_put_string(out, "\t\t");
		put_type(out, &fields->all[i]);
		render_buffer_put_byte(out, ' ');
		put_name(out, &fields->all[i]);
		render_buffer_put_string(out, ";\n");
	}
	render_buffer_put_string(out, "\t\tstring _" TEXT_NAME ";\n\t};\n};\n");
}

/* The format, or what was called; neither is of any length. */
static void put_title(struct ctf_classes *classes,
	const struct message *message, struct render_buffer *out)
{
	const struct definition_string *title = message_statement(message);
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

static void put_location(void *closure, const struct location *location)
{
	struct render_buffer *out = closure;
	char number[32];

	if (location->file) {
		render_buffer_put_string(out, location->file);
		snprintf(number, sizeof(number), ":%u", location->line);
		render_buffer_put_string(out, number);
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
		frames_author(classes->location, message, put_location, out);
	if (out->length > before || !module)
		return;
	render_buffer_put_string(out, module);
	snprintf(offset, sizeof(offset), "+0x%" PRIx64,
		category_offset(message));
	render_buffer_put_string(out, offset);
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
	put_key_string(key, message_statement(message));
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

	render_buffer_put_string(&text, "event {\n\tname = ");
	put_title(classes, message, &text);
	snprintf(line, sizeof(line),
		";\n\tid = %" PRIu32 ";\n\tstream_id = 0;\n\tloglevel = %d;\n",
		id, head->level);
	render_buffer_put_string(&text, line);
	if (head->site_bytes > 0) {
		utf8_text_put(&site, classes->key.data + sizeof(*head),
			head->site_bytes);
		render_buffer_put_string(&text, "\tmodel.emf.uri = ");
		put_literal(&text, site.data, site.length);
		render_buffer_put_string(&text, ";\n");
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
	struct ctf_classes *classes, struct locations *location)
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
