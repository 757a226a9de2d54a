#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/pack_table.h"
#include "base/render_buffer.h"
#include "base/utf8_read.h"
#include "decoder/capture/message.h"
#include "decoder/message/event_words.h"
#include "decoder/message/fields.h"
#include "decoder/message/message_level.h"
#include "decoder/message/site_table.h"
#include "decoder/message/took.h"
#include "decoder/message/track_table.h"
#include "decoder/message/whole_call.h"
#include "decoder/names/frames.h"
#include "decoder/output/style.h"
#include "decoder/stats/spans.h"
#include "rules/levels.h"

/*
 * The wire format of Protocol Buffers, as far as it takes to write messages.
 * Used by the style perfetto; a field is a number and a value, and a message
 * in a message is begun and ended.
 */

static size_t proto_write_begin(struct render_buffer *out, uint32_t field);
static void proto_write_end(struct render_buffer *out, size_t begin);

#define VARINT_MAX 10u /* bytes of 64 bits */

enum wire { WIRE_VARINT = 0, WIRE_64_BITS = 1, WIRE_LENGTH = 2 };

static size_t make_varint(char to[VARINT_MAX], uint64_t value)
{
	size_t bytes = 0;

	for (; value > 0x7f; value >>= 7)
		to[bytes++] = (char)(value | 0x80);
	to[bytes++] = (char)value;
	return bytes;
}

static void put_varint(struct render_buffer *out, uint64_t value)
{
	if (!render_buffer_reserve(out, VARINT_MAX))
		return;
	out->length += make_varint(out->data + out->length, value);
}

static void put_tag(struct render_buffer *out, uint32_t field, enum wire wire)
{
	put_varint(out, (uint64_t)field << 3 | wire);
}

/* uint32, uint64, enum and bool. */
static void proto_write_unsigned(
	struct render_buffer *out, uint32_t field, uint64_t value)
{
	put_tag(out, field, WIRE_VARINT);
	put_varint(out, value);
}

/* int32 and int64. */
static void proto_write_integer(
	struct render_buffer *out, uint32_t field, int64_t value)
{
	proto_write_unsigned(out, field, (uint64_t)value);
}

static void proto_write_double(
	struct render_buffer *out, uint32_t field, double value)
{
	put_tag(out, field, WIRE_64_BITS);
	render_buffer_put(out, &value, sizeof(value));
}

/* string: NUL and what is not UTF-8 as \xNN. */
static void proto_write_text(struct render_buffer *out, uint32_t field,
	const char *text, size_t size)
{
	size_t begin = proto_write_begin(out, field);

	utf8_text_put(out, text, size);
	proto_write_end(out, begin);
}

/* Of one that ends in NUL. */
static void proto_write_word(
	struct render_buffer *out, uint32_t field, const char *word)
{
	proto_write_text(out, field, word, strlen(word));
}

/* Most are short: one byte is left for the length. */
/* What is written until the end is in the field; returns what that takes. */
static size_t proto_write_begin(struct render_buffer *out, uint32_t field)
{
	put_tag(out, field, WIRE_LENGTH);
	render_buffer_put_byte(out, 0);
	return out->length;
}

static void proto_write_end(struct render_buffer *out, size_t begin)
{
	char length[VARINT_MAX];
	size_t bytes, more;

	if (out->failed)
		return;
	bytes = out->length - begin;
	more = make_varint(length, bytes) - 1;
	if (!render_buffer_reserve(out, more))
		return;
	if (more > 0)
		memmove(out->data + begin + more, out->data + begin, bytes);
	memcpy(out->data + begin - 1, length, more + 1);
	out->length += more;
}

/*
 * Packets of a Perfetto trace, all on one sequence.  Used by the style of that
 * name; what they say is that of the message or span alone.
 */

enum { TRACE_PACKET = 1 };

enum packet_field {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10, /* not 0 */
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13, /* enum packet_flags */
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_FIRST_ON_SEQUENCE = 87,
};

enum packet_flags {
	PACKET_CLEARS_STATE = 1, /* what was interned */
	PACKET_NEEDS_STATE = 2
};

enum { DEFAULTS_CLOCK = 58 };

enum clock_field {
	SNAPSHOT_CLOCK = 1,
	SNAPSHOT_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
};

enum clock_id {
	CLOCK_ID_REALTIME = 1,
	CLOCK_ID_MONOTONIC = 3,
	CLOCK_ID_BOOT = 6
};

enum descriptor_field {
	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT = 5,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
};

enum event_field {
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9, /* enum event_type */
	EVENT_NAME_ID = 10,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_CALLSTACK = 55,
	CALLSTACK_FRAME = 1,
	FRAME_FUNCTION = 1,
	FRAME_FILE = 2,
	FRAME_LINE = 3,
};

enum event_type { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3 };

enum annotation_field {
	ANNOTATION_NAME_ID = 1,
	ANNOTATION_UNSIGNED = 3,
	ANNOTATION_INTEGER = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_STRING = 6,
	ANNOTATION_POINTER = 7,
	ANNOTATION_NAME = 10,
};

enum interned_field {
	INTERNED_EVENT_NAME = 2,
	INTERNED_ANNOTATION_NAME = 3,
	INTERNED_ID = 1,
	INTERNED_TEXT = 2,
};

#define SEQUENCE 1u

/* Tracks of spans have numbers from here on. */
#define SPAN_TRACKS ((uint64_t)1 << 32)
/* Those of substreams of traces, and of coroutines. */
#define TRACKS_BELOW ((uint64_t)1 << 48)

/* Returns what proto_write_end() takes. */
static size_t perfetto_packet_begin(
	struct render_buffer *out, enum packet_flags flags)
{
	size_t packet = proto_write_begin(out, TRACE_PACKET);

	proto_write_unsigned(out, PACKET_SEQUENCE, SEQUENCE);
	proto_write_unsigned(out, PACKET_SEQUENCE_FLAGS, flags);
	return packet;
}

static void put_clock(
	struct render_buffer *out, enum clock_id id, uint64_t nanoseconds)
{
	size_t clock = proto_write_begin(out, SNAPSHOT_CLOCK);

	proto_write_unsigned(out, CLOCK_ID, id);
	proto_write_unsigned(out, CLOCK_TIMESTAMP, nanoseconds);
	proto_write_end(out, clock);
}

/* The first one: all times are wall times, and how others relate to them. */
static void perfetto_packet_clocks(
	struct render_buffer *out, const struct message *message)
{
	const struct binlog_anchor *start = &message->capture->header.start;
	size_t packet = perfetto_packet_begin(out, PACKET_CLEARS_STATE);
	size_t snapshot, defaults;

	proto_write_unsigned(out, PACKET_FIRST_ON_SEQUENCE, 1);
	defaults = proto_write_begin(out, PACKET_DEFAULTS);
	proto_write_unsigned(out, DEFAULTS_CLOCK, CLOCK_ID_REALTIME);
	proto_write_end(out, defaults);
	snapshot = proto_write_begin(out, PACKET_CLOCK_SNAPSHOT);
	if (start->realtime > 0) {
		put_clock(out, CLOCK_ID_REALTIME, start->realtime);
		put_clock(out, CLOCK_ID_MONOTONIC, start->monotonic);
		put_clock(out, CLOCK_ID_BOOT, start->boottime);
	} else {
		put_clock(out, CLOCK_ID_REALTIME, message->wall);
	}
	proto_write_unsigned(out, SNAPSHOT_PRIMARY, CLOCK_ID_REALTIME);
	proto_write_end(out, snapshot);
	proto_write_end(out, packet);
}

/* The track of the message's process, or of its thread; `process` may be null.
 */
static void perfetto_packet_process(struct render_buffer *out,
	const struct track *track, const struct message *message)
{
	size_t packet = perfetto_packet_begin(out, PACKET_NEEDS_STATE);
	size_t descriptor = proto_write_begin(out, PACKET_TRACK_DESCRIPTOR);
	size_t process;

	proto_write_unsigned(out, DESCRIPTOR_UUID, track->number);
	process = proto_write_begin(out, DESCRIPTOR_PROCESS);
	proto_write_integer(out, PROCESS_PID, (int32_t)message->pid);
	proto_write_word(out, PROCESS_NAME, message->program->name);
	proto_write_end(out, process);
	proto_write_end(out, descriptor);
	proto_write_end(out, packet);
}

static void perfetto_packet_thread(struct render_buffer *out,
	const struct track *track, const struct track *process,
	const struct message *message)
{
	size_t packet = perfetto_packet_begin(out, PACKET_NEEDS_STATE);
	size_t descriptor = proto_write_begin(out, PACKET_TRACK_DESCRIPTOR);
	size_t thread;

	proto_write_unsigned(out, DESCRIPTOR_UUID, track->number);
	if (process)
		proto_write_unsigned(out, DESCRIPTOR_PARENT, process->number);
	thread = proto_write_begin(out, DESCRIPTOR_THREAD);
	proto_write_integer(out, THREAD_PID, (int32_t)message->pid);
	proto_write_integer(out, THREAD_TID, (int32_t)message->tid);
	proto_write_word(out, THREAD_NAME, message->thread);
	proto_write_end(out, thread);
	proto_write_end(out, descriptor);
	proto_write_end(out, packet);
}

/* A value of an event: text, by a name that is not interned. */
static void perfetto_packet_annotate(struct render_buffer *out,
	const char *name, const char *text, size_t bytes)
{
	size_t annotation = proto_write_begin(out, EVENT_ANNOTATION);

	proto_write_word(out, ANNOTATION_NAME, name);
	proto_write_text(out, ANNOTATION_STRING, text, bytes);
	proto_write_end(out, annotation);
}

static void annotate_number(
	struct render_buffer *out, const char *name, uint64_t number)
{
	size_t annotation = proto_write_begin(out, EVENT_ANNOTATION);

	proto_write_word(out, ANNOTATION_NAME, name);
	proto_write_unsigned(out, ANNOTATION_UNSIGNED, number);
	proto_write_end(out, annotation);
}

/* `parent` 0: of none. */
static void put_track(struct render_buffer *out, uint64_t number,
	const char *name, uint64_t parent)
{
	size_t packet = perfetto_packet_begin(out, PACKET_NEEDS_STATE);
	size_t descriptor = proto_write_begin(out, PACKET_TRACK_DESCRIPTOR);

	proto_write_unsigned(out, DESCRIPTOR_UUID, number);
	proto_write_word(out, DESCRIPTOR_NAME, name);
	if (parent != 0)
		proto_write_unsigned(out, DESCRIPTOR_PARENT, parent);
	proto_write_end(out, descriptor);
	proto_write_end(out, packet);
}

static size_t packet_begin_event(struct render_buffer *out,
	enum event_type type, uint64_t track, uint64_t wall)
{
	size_t event;

	proto_write_unsigned(out, PACKET_TIMESTAMP, wall);
	event = proto_write_begin(out, PACKET_TRACK_EVENT);
	proto_write_unsigned(out, EVENT_TYPE, type);
	proto_write_unsigned(out, EVENT_TRACK, track);
	return event;
}

/* Tracks that have one name are drawn as one. */
/* A slice on a track of its own, with this number. */
static void perfetto_packet_span(struct render_buffer *out,
	const struct span *span, const char *rule, uint64_t number)
{
	uint64_t track = SPAN_TRACKS + number;
	size_t packet, event;

	put_track(out, track, rule, 0);
	packet = perfetto_packet_begin(out, PACKET_NEEDS_STATE);
	event = packet_begin_event(out, EVENT_BEGIN, track, span->begin.wall);
	proto_write_word(out, EVENT_NAME, rule);
	proto_write_word(out, EVENT_CATEGORY, "span");
	perfetto_packet_annotate(
		out, "binlog message", span->text, span->text_bytes);
	if (span->key_bytes > 0)
		perfetto_packet_annotate(
			out, "binlog key", span->key, span->key_bytes);
	annotate_number(out, "binlog span", span->number);
	if (span->parent != 0)
		annotate_number(out, "binlog parent", span->parent);
	proto_write_end(out, event);
	proto_write_end(out, packet);
	if (!span->ended)
		return;
	packet = perfetto_packet_begin(out, PACKET_NEEDS_STATE);
	event = packet_begin_event(out, EVENT_END, track, span->end.wall);
	proto_write_end(out, event);
	proto_write_end(out, packet);
}

#define SITES_MAX ((size_t)1 << 16) /* whose names are not repeated */

/* A trace of Perfetto: an instant for each call, on the track of its thread. */
struct perfetto {
	struct style_settings settings;
	struct whole_call call;
	struct track_table tracks;
	struct site_table sites;
	uint64_t names;	     /* of arguments, that were given an id */
	struct spans *spans; /* null: none are asked for */
	uint64_t span_count;
	bool begun;
	struct took took;	 /* likewise, if it is a slice */
	uint64_t slice;		 /* likewise, its track; 0: it is none */
	struct pack_table below; /* those of threads that have tracks */
	size_t packet; /* of the call that is open: proto_write_begin() */
	size_t event;
	struct render_buffer scratch;
	size_t frames[LIMITS_EXPORT_STACK]; /* where each ends in `scratch` */
	size_t frame_count;
};

static void take_span(void *closure, const struct span *span)
{
	struct perfetto *perfetto = closure;
	const struct span_rules *rules = &perfetto->settings.options->spans;

	perfetto_packet_span(&perfetto->settings.output->text, span,
		rules->all[span->rule].text, perfetto->span_count++);
	output_settle(perfetto->settings.output);
}

void *style_perfetto_begin(const struct style_settings *settings)
{
	const struct span_rules *rules = &settings->options->spans;
	struct perfetto *perfetto = calloc(1, sizeof(*perfetto));

	if (!perfetto)
		return NULL;
	perfetto->settings = *settings;
	perfetto->call.pointers = settings->pointers;
	perfetto->sites.most = SITES_MAX;
	if (rules->count == 0)
		return perfetto;
	perfetto->spans = spans_new(rules, NULL, take_span, perfetto);
	if (perfetto->spans)
		return perfetto;
	free(perfetto);
	return NULL;
}

/* The track of the thread; 0: that which has no name. */
static uint64_t put_tracks(
	struct perfetto *perfetto, const struct message *message, bool of_all)
{
	struct render_buffer *out = &perfetto->settings.output->text;
	const struct track *process, *thread;
	bool named;

	process = track_table_process(&perfetto->tracks, message, &named);
	if (process && named)
		perfetto_packet_process(out, process, message);
	if (of_all)
		return process ? process->number : 0;
	thread = track_table_thread(&perfetto->tracks, message, &named);
	if (thread && named)
		perfetto_packet_thread(out, thread, process, message);
	return thread ? thread->number : 0;
}

static void put_interned(struct render_buffer *out, enum interned_field what,
	uint64_t id, const char *text, size_t bytes)
{
	size_t entry = proto_write_begin(out, what);

	proto_write_unsigned(out, INTERNED_ID, id);
	proto_write_text(out, INTERNED_TEXT, text, bytes);
	proto_write_end(out, entry);
}

/*
 * A track below that of the thread, for what runs on it in turns with others:
 * a substream or a coroutine of this number.  Without one it is the thread's.
 */
static uint64_t track_below(struct perfetto *perfetto, uint64_t thread,
	const char *what, uint64_t number)
{
	const uint64_t key[] = {thread, number, (unsigned char)*what};
	uint32_t known = perfetto->below.count;
	struct render_buffer *name = &perfetto->scratch;
	const struct pack_entry *entry;

	if (number == 0)
		return thread;
	entry = pack_table_find(&perfetto->below, key, sizeof(key));
	if (!entry && limits_reached(LIMIT_TRACKS, known))
		return thread;
	if (!entry)
		entry = pack_table_intern(&perfetto->below, key, sizeof(key));
	if (!entry)
		return thread;
	if (perfetto->below.count > known) {
		name->length = 0;
		render_buffer_put_string(name, what);
		render_buffer_put_byte(name, ' ');
		render_buffer_put_number(name, number);
		render_buffer_put_byte(name, '\0');
		put_track(&perfetto->settings.output->text,
			TRACKS_BELOW + entry->id,
			name->failed ? what : name->data, thread);
	}
	return TRACKS_BELOW + entry->id;
}

/* Without the newline at its end, or the function where there is none. */
static const char *title_of(const struct message *message, size_t *bytes)
{
	const struct definition_string *function = message->context->function;
	const struct definition_string *format = message_statement(message);

	struct took took;

	if (format)
		*bytes = format->length -
			 (format->length > 0 &&
				 format->bytes[format->length - 1] == '\n');
	if (format && took_of(message, &took))
		*bytes = took.format_bytes;
	if (format && *bytes > 0)
		return format->bytes;
	*bytes = function && function->bytes ? function->length : 1;
	return function && function->bytes ? function->bytes : "?";
}

/*
 * The names of a site that was not met before.  Those of its arguments have
 * ids from site->names on, which is not 0.
 */
static void put_names(struct perfetto *perfetto, struct site *site,
	const struct message *message)
{
	const struct fields *fields = fields_of(message);
	struct render_buffer *out = &perfetto->settings.output->text;
	size_t interned = proto_write_begin(out, PACKET_INTERNED_DATA);
	size_t bytes = 0;
	const char *title = title_of(message, &bytes);
	size_t i;

	put_interned(out, INTERNED_EVENT_NAME, site->number, title, bytes);
	site->names = perfetto->names + 1;
	for (i = 0; i < fields->count; i++)
		put_interned(out, INTERNED_ANNOTATION_NAME, ++perfetto->names,
			fields->all[i].name, strlen(fields->all[i].name));
	proto_write_end(out, interned);
}

static void put_value(struct render_buffer *out, const struct field *field,
	const struct field_value *value)
{
	struct field_text text;

	switch (field->type) {
	case FIELD_INTEGER:
		proto_write_integer(out, ANNOTATION_INTEGER, value->i64);
		break;
	case FIELD_UNSIGNED:
		proto_write_unsigned(out, ANNOTATION_UNSIGNED, value->u64);
		break;
	case FIELD_POINTER:
		proto_write_unsigned(out, ANNOTATION_POINTER, value->u64);
		break;
	case FIELD_FLOAT:
		proto_write_double(out, ANNOTATION_DOUBLE, value->f64);
		break;
	case FIELD_CHARACTER:
	case FIELD_TEXT:
		field_text_of(&text, field, value);
		proto_write_text(out, ANNOTATION_STRING, text.bytes, text.size);
		break;
	}
}

/* Those that have a value; names that are not interned are given each time. */
static void put_fields(struct perfetto *perfetto, const struct site *site,
	const struct message *message)
{
	const struct fields *fields = fields_of(message);
	struct render_buffer *out = &perfetto->settings.output->text;
	size_t i;

	for (i = 0; i < fields->count; i++) {
		const struct field *field = &fields->all[i];
		struct field_value value =
			field_value(field, message, &perfetto->scratch);
		size_t annotation;

		if (!value.known)
			continue;
		annotation = proto_write_begin(out, EVENT_ANNOTATION);
		if (site)
			proto_write_unsigned(
				out, ANNOTATION_NAME_ID, site->names + i);
		else
			proto_write_word(out, ANNOTATION_NAME, field->name);
		put_value(out, field, &value);
		proto_write_end(out, annotation);
	}
}

static void put_word(
	struct render_buffer *out, const char *name, const char *word)
{
	if (word)
		perfetto_packet_annotate(out, name, word, strlen(word));
}

static void take_author(void *closure, const struct location *location)
{
	struct render_buffer *out = closure;

	put_word(out, "binlog caller", location->function);
	put_word(out, "binlog file", location->file);
	if (location->file)
		annotate_number(out, "binlog line", location->line);
}

/* They come with the innermost first, and are written the other way round. */
static bool take_frame(void *closure, const struct location *location)
{
	struct perfetto *perfetto = closure;
	struct render_buffer *frames = &perfetto->scratch;
	const char *name =
		location->function ? location->function : location->module;
	size_t frame;

	if (location->beside)
		return true;
	if (perfetto->frame_count == perfetto->settings.options->depth ||
		limits_reached(LIMIT_EXPORT_STACK, perfetto->frame_count))
		return false;
	frame = proto_write_begin(frames, CALLSTACK_FRAME);
	proto_write_word(frames, FRAME_FUNCTION, name ? name : "?");
	if (location->file) {
		proto_write_word(frames, FRAME_FILE, location->file);
		proto_write_unsigned(frames, FRAME_LINE, location->line);
	}
	proto_write_end(frames, frame);
	perfetto->frames[perfetto->frame_count++] = frames->length;
	return true;
}

static void put_stack(struct perfetto *perfetto, const struct message *message)
{
	struct render_buffer *out = &perfetto->settings.output->text;
	struct render_buffer *frames = &perfetto->scratch;
	size_t callstack, i;

	frames->length = perfetto->frame_count = 0;
	frames_each(
		perfetto->settings.locations, message, take_frame, perfetto);
	if (frames->failed)
		return;
	callstack = proto_write_begin(out, EVENT_CALLSTACK);
	for (i = perfetto->frame_count; i > 0; i--) {
		size_t start = i > 1 ? perfetto->frames[i - 2] : 0;

		render_buffer_put(out, render_buffer_from(frames, start),
			perfetto->frames[i - 1] - start);
	}
	proto_write_end(out, callstack);
}

static void put_categories(
	struct perfetto *perfetto, const struct message *message)
{
	struct render_buffer *out = &perfetto->settings.output->text;
	const char *level = level_name(message_level(message));

	perfetto->scratch.length = 0;
	message_words_stream(message, &perfetto->scratch);
	proto_write_text(out, EVENT_CATEGORY, perfetto->scratch.data,
		perfetto->scratch.length);
	if (level)
		proto_write_word(out, EVENT_CATEGORY, level);
}

static void begin_event(struct perfetto *perfetto,
	const struct message *message, uint64_t track, struct site *site)
{
	struct render_buffer *out = &perfetto->settings.output->text;

	perfetto->packet = perfetto_packet_begin(out, PACKET_NEEDS_STATE);
	proto_write_unsigned(out, PACKET_TIMESTAMP, message->wall);
	if (site && site->names == 0)
		put_names(perfetto, site, message);
	perfetto->event = proto_write_begin(out, PACKET_TRACK_EVENT);
	proto_write_unsigned(out, EVENT_TYPE,
		perfetto->slice != 0 ? EVENT_BEGIN : EVENT_INSTANT);
	proto_write_unsigned(out, EVENT_TRACK, track);
}

static void end_event(struct perfetto *perfetto)
{
	struct render_buffer *out = &perfetto->settings.output->text;

	proto_write_end(out, perfetto->event);
	proto_write_end(out, perfetto->packet);
	output_settle(perfetto->settings.output);
}

/* All but the text. */
static void put_head(struct perfetto *perfetto, const struct message *message)
{
	uint64_t track = put_tracks(perfetto, message, false);
	struct site *site = site_table_find(&perfetto->sites, message);
	struct render_buffer *out = &perfetto->settings.output->text;
	const char *title;
	size_t bytes;

	if (took_of(message, &perfetto->took))
		perfetto->slice = track = track_below(
			perfetto, track, "substream", perfetto->took.substream);
	else
		track = track_below(
			perfetto, track, "coroutine", message->coroutine);
	begin_event(perfetto, message, track, site);
	if (site) {
		proto_write_unsigned(out, EVENT_NAME_ID, site->number);
	} else {
		title = title_of(message, &bytes);
		proto_write_text(out, EVENT_NAME, title, bytes);
	}
	put_categories(perfetto, message);
	put_fields(perfetto, site, message);
	if (perfetto->settings.location)
		frames_author(
			perfetto->settings.location, message, take_author, out);
	if (perfetto->settings.stack)
		put_stack(perfetto, message);
}

static void end_slice(struct perfetto *perfetto, const struct message *message)
{
	struct render_buffer *out = &perfetto->settings.output->text;
	size_t packet = perfetto_packet_begin(out, PACKET_NEEDS_STATE);
	size_t event = packet_begin_event(out, EVENT_END, perfetto->slice,
		message->wall + perfetto->took.nanoseconds);

	proto_write_end(out, event);
	proto_write_end(out, packet);
	perfetto->slice = 0;
}

static void put_text(struct perfetto *perfetto)
{
	struct render_buffer *out = &perfetto->settings.output->text;
	const struct render_buffer *text = &perfetto->call.text;

	perfetto_packet_annotate(
		out, "binlog message", text->data, text->length);
	end_event(perfetto);
	whole_call_forget(&perfetto->call);
}

/* The end of a process is on its own track. */
static void put_event(struct perfetto *perfetto, const struct message *message)
{
	bool of_process = event_words_are_of_process(message);
	uint64_t track = put_tracks(perfetto, message, of_process);
	struct render_buffer *out = &perfetto->settings.output->text;
	struct render_buffer *words = &perfetto->scratch;

	begin_event(perfetto, message, track, NULL);
	proto_write_word(out, EVENT_NAME, event_words_name(message));
	proto_write_word(out, EVENT_CATEGORY, "event");
	words->length = 0;
	event_words_put(message, words);
	perfetto_packet_annotate(
		out, "binlog words", words->data, words->length);
	end_event(perfetto);
}

void style_perfetto_message(void *state, const struct message *message)
{
	struct perfetto *perfetto = state;

	if (whole_call_ended(&perfetto->call, message))
		put_text(perfetto);
	if (message_is_event(message) && !event_words_are(message))
		return;
	if (!perfetto->begun)
		perfetto_packet_clocks(
			&perfetto->settings.output->text, message);
	perfetto->begun = true;
	if (perfetto->spans && !perfetto->call.open)
		spans_message(perfetto->spans, message);
	if (message_is_event(message)) {
		put_event(perfetto, message);
		return;
	}
	if (!perfetto->call.open)
		put_head(perfetto, message);
	if (whole_call_add(&perfetto->call, message))
		put_text(perfetto);
	if (perfetto->slice != 0)
		end_slice(perfetto, message);
}

void style_perfetto_end(void *state)
{
	struct perfetto *perfetto = state;
	struct render_buffer *out = &perfetto->settings.output->text;

	if (perfetto->call.open)
		put_text(perfetto);
	if (perfetto->spans) {
		spans_finish(perfetto->spans);
		out->failed = out->failed || !spans_are_whole(perfetto->spans);
	}
	spans_free(perfetto->spans);
	out->failed = out->failed || perfetto->tracks.failed ||
		      perfetto->sites.failed;
	pack_table_free(&perfetto->below);
	track_table_free(&perfetto->tracks);
	site_table_free(&perfetto->sites);
	render_buffer_retire(&perfetto->call.text, out);
	render_buffer_retire(&perfetto->scratch, out);
	free(perfetto);
}
