#include <stdlib.h>

#include "base/array.h"
#include "base/id_map.h"
#include "base/limits.h"
#include "base/pack_table.h"
#include "base/utf8_read.h"
#include "decoder/capture/message.h"
#include "decoder/heph/heph_format.h"
#include "decoder/heph/heph_own.h"
#include "decoder/heph/heph_read.h"
#include "decoder/heph/heph_write.h"
#include "decoder/message/facts.h"
#include "decoder/message/fields.h"
#include "decoder/message/whole_call.h"
#include "decoder/output/style.h"
#include "decoder/stats/spans.h"

/*
 * The streams of a trace in Heph's format that is written: one for each
 * thread of each process, with a number of its own, whose events are counted.
 * Used by the style `heph`.
 */

/* All zeros is none. */
struct heph_streams {
	struct pack_table threads;
	struct heph_stream *all; /* by id - 1 */
	size_t room;
	struct id_map taken; /* numbers that streams have */
	uint32_t next;	     /* that may be free */
};

struct heph_stream {
	uint32_t number;
	uint32_t counter; /* of its next event */
};

static uint32_t free_number(
	struct heph_streams *streams, uint32_t wanted, bool keep)
{
	static char taken;

	if (!keep || id_map_find(&streams->taken, wanted)) {
		while (id_map_find(&streams->taken, streams->next))
			streams->next++;
		wanted = streams->next;
	}
	id_map_set(&streams->taken, wanted, &taken);
	return wanted;
}

/* Null: out of memory. */
static struct heph_stream *find(struct heph_streams *streams,
	const struct program *program, uint32_t tid, bool keep)
{
	uint64_t key[] = {(uintptr_t)program, tid};
	uint32_t known = streams->threads.count;
	struct pack_entry *entry;

	entry = pack_table_find(&streams->threads, key, sizeof(key));
	if (!entry && limits_reached(LIMIT_HEPH_THREADS, known))
		key[0] = key[1] = 0;
	if (!entry)
		entry = pack_table_intern(&streams->threads, key, sizeof(key));
	if (!entry || !array_reserve(streams->all, streams->room, entry->id))
		return NULL;
	if (streams->threads.count > known)
		streams->all[entry->id - 1] = (struct heph_stream){
			.number = free_number(streams, tid, keep)};
	return &streams->all[entry->id - 1];
}

/*
 * Fills in stream and counter of an event of the thread.  `keep`: that has the
 * number of a stream, which is given again if it is free.
 */
static void heph_streams_count(struct heph_streams *streams,
	const struct program *program, uint32_t tid, bool keep,
	struct heph_event *event)
{
	struct heph_stream *stream = find(streams, program, tid, keep);

	event->stream = stream ? stream->number : 0;
	event->counter = stream ? stream->counter++ : 0;
}

static void heph_streams_free(struct heph_streams *streams)
{
	pack_table_free(&streams->threads);
	free(streams->all);
	id_map_free(&streams->taken);
}

/* A packet of Heph's trace format for each call. */
struct heph {
	struct style_settings settings;
	struct whole_call call;
	struct heph_streams streams;
	struct heph_event event;	 /* of the call */
	struct render_buffer attributes; /* likewise */
	struct render_buffer text;	 /* of it, or what it was made of */
	struct render_buffer scratch;
	struct spans *spans; /* null: none are asked for */
	uint64_t last;	     /* wall time of the last message */
	uint64_t epoch;
	bool begun;
	bool undone; /* the call is an event of such a trace again */
};

static uint64_t time_of(const struct heph *heph, uint64_t wall)
{
	return wall > heph->epoch ? wall - heph->epoch : 0;
}

static void put_text_of(
	struct heph *heph, const char *name, const char *text, size_t bytes)
{
	heph->text.length = 0;
	utf8_text_put(&heph->text, text, bytes);
	heph_write_string(
		&heph->attributes, name, heph->text.data, heph->text.length);
}

static void put_who(struct heph *heph, const struct span_end *end)
{
	struct render_buffer *out = &heph->attributes;

	put_text_of(heph, HEPH_OWN "program", end->program->name,
		strlen(end->program->name));
	heph_write_unsigned(out, HEPH_OWN "pid", end->pid);
	heph_write_unsigned(out, HEPH_OWN "tid", end->tid);
	put_text_of(heph, HEPH_OWN "thread", end->thread, strlen(end->thread));
}

/*
 * An event of the thread that began it, which is written when it ends, as Heph
 * does it.  One that has not ended has lasted up to the last message at least.
 */
static void take_span(void *closure, const struct span *span)
{
	struct heph *heph = closure;
	struct render_buffer *attributes = &heph->attributes;
	struct render_buffer *out = &heph->settings.output->text;
	const char *rule = heph->settings.options->spans.all[span->rule].text;
	uint64_t end =
		span->ended ? span->begin.wall + span->duration : heph->last;
	struct heph_event event = {
		.start = time_of(heph, span->begin.wall),
		.end = time_of(
			heph, end > span->begin.wall ? end : span->begin.wall),
	};
	size_t begin;

	attributes->length = 0;
	heph_write_unsigned(attributes, HEPH_OWN_SPAN, span->number);
	if (span->parent != 0)
		heph_write_unsigned(attributes, HEPH_OWN_PARENT, span->parent);
	put_text_of(heph, HEPH_OWN_RULE, rule, strlen(rule));
	if (span->key_bytes > 0)
		put_text_of(heph, HEPH_OWN_KEY, span->key, span->key_bytes);
	put_who(heph, &span->begin);
	if (!span->ended)
		heph_write_unsigned(attributes, HEPH_OWN_OPEN, 1);
	heph_streams_count(&heph->streams, span->begin.program, span->begin.tid,
		false, &event);
	heph->text.length = 0;
	utf8_text_put(&heph->text, span->text, span->text_bytes);
	event.description = (struct heph_string){
		heph->text.data, utf8_text_fit(heph->text.data,
					 heph->text.length, HEPH_STRING_MAX)};
	begin = heph_write_begin(out, &event);
	render_buffer_put(out, attributes->data, attributes->length);
	heph_write_end(out, begin);
	output_settle(heph->settings.output);
}

void *style_heph_begin(const struct style_settings *settings)
{
	const struct span_rules *rules = &settings->options->spans;
	struct heph *heph = calloc(1, sizeof(*heph));

	if (!heph)
		return NULL;
	heph->settings = *settings;
	heph->call.pointers = settings->pointers;
	if (rules->count > 0)
		heph->spans = spans_new(rules, NULL, take_span, heph);
	if (rules->count == 0 || heph->spans)
		return heph;
	free(heph);
	return NULL;
}

static bool is_foreign(const struct message *message)
{
	const struct definition_string *function = message->context->function;

	return function && function->bytes &&
	       strcmp(function->bytes, HEPH_FORMAT_FUNCTION) == 0;
}

/* Times of such a trace are given as they were, others since 1970. */
static void begin_trace(struct heph *heph, const struct message *message)
{
	bool foreign = is_foreign(message);

	heph->begun = true;
	if (foreign)
		heph->epoch = message->capture->header.start.realtime;
	if (!foreign || heph->epoch != 0)
		heph_write_epoch(&heph->settings.output->text, heph->epoch);
}

static void put_argument(struct heph *heph, const struct field *field,
	const struct field_value *value)
{
	struct render_buffer *out = &heph->attributes;

	switch (field->type) {
	case FIELD_INTEGER:
		heph_write_signed(out, field->name, value->i64);
		break;
	case FIELD_FLOAT:
		heph_write_float(out, field->name, value->f64);
		break;
	case FIELD_TEXT:
		heph->text.length = 0;
		if (value->known)
			utf8_text_put(&heph->text, value->text, value->bytes);
		else
			render_buffer_put(&heph->text, "(null)", 6);
		heph_write_string(
			out, field->name, heph->text.data, heph->text.length);
		break;
	default:
		heph_write_unsigned(out, field->name, value->u64);
	}
}

static void put_arguments(struct heph *heph, const struct message *message)
{
	const struct fields *fields = fields_of(message);
	size_t i;

	for (i = 0; i < fields->count; i++) {
		struct field_value value =
			field_value(&fields->all[i], message, &heph->scratch);

		put_argument(heph, &fields->all[i], &value);
	}
}

static void put_fact(void *closure, const char *key, const struct fact *fact)
{
	struct heph *heph = closure;

	if (fact->kind == FACT_NUMBER) {
		heph_write_unsigned(&heph->attributes, key, fact->number);
		return;
	}
	heph->text.length = 0;
	utf8_text_put(&heph->text, fact->text, fact->bytes);
	heph_write_string(
		&heph->attributes, key, heph->text.data, heph->text.length);
}

static void put_own(struct heph *heph, const struct message *message)
{
	facts_each(heph_own_facts, HEPH_OWN_newline, heph->settings.location,
		message, &heph->scratch, put_fact, heph);
}

static void begin_event(void *state, const struct message *message)
{
	struct heph *heph = state;
	struct heph_event *event = &heph->event;

	if (!heph->begun)
		begin_trace(heph, message);
	heph->attributes.length = 0;
	*event = (struct heph_event){.start = time_of(heph, message->wall)};
	event->end = event->start;
	heph->undone = is_foreign(message) &&
		       heph_format_undo(
			       message, &heph->attributes, &heph->text, event);
	heph_streams_count(&heph->streams, message->program, message->tid,
		heph->undone, event);
	if (heph->undone)
		return;
	event->substream = message->coroutine;
	put_arguments(heph, message);
	put_own(heph, message);
}

/* What the description has no room for. */
static void put_rest(struct heph *heph, size_t done)
{
	const struct render_buffer *text = &heph->text;
	struct render_buffer *out = &heph->attributes;
	struct render_buffer *values = &heph->scratch;
	struct heph_attribute rest = {
		.name = {HEPH_OWN_REST, sizeof(HEPH_OWN_REST) - 1},
		.type = HEPH_STRING,
		.array = true,
	};

	values->length = 0;
	for (; done < text->length; rest.count++) {
		size_t part = utf8_text_fit(text->data + done,
			text->length - done, HEPH_STRING_MAX);

		heph_write_text(values, text->data + done, part);
		done += part;
	}
	heph_write_attribute(out, &rest);
	render_buffer_put(out, values->data, values->length);
}

/* The text is known. */
static void put_description(struct heph *heph)
{
	const struct render_buffer *said = &heph->call.text;
	struct render_buffer *text = &heph->text;
	bool newline = said->length > 0 && said->data[said->length - 1] == '\n';
	size_t part;

	text->length = 0;
	utf8_text_put(text, said->data, said->length - newline);
	part = utf8_text_fit(text->data, text->length, HEPH_STRING_MAX);
	heph_write_unsigned(&heph->attributes, HEPH_OWN_NEWLINE, newline);
	heph->event.description = (struct heph_string){text->data, part};
	if (part < text->length)
		put_rest(heph, part);
}

static void put_event(void *state)
{
	struct heph *heph = state;
	struct render_buffer *out = &heph->settings.output->text;
	size_t begin;

	if (!heph->undone)
		put_description(heph);
	begin = heph_write_begin(out, &heph->event);
	render_buffer_put(out, heph->attributes.data, heph->attributes.length);
	heph_write_end(out, begin);
	output_settle(heph->settings.output);
}

/* What was lost was counted. */
static void count_lost(void *state, const struct message *message)
{
	struct heph *heph = state;
	struct heph_stream *stream;

	if (message->context->text != BINLOG_TEXT_LOST)
		return;
	stream = find(&heph->streams, message->program, message->tid,
		is_foreign(message));
	if (stream)
		stream->counter += (uint32_t)message_event_value(message);
}

static const struct whole_call_parts parts = {
	.begin = begin_event,
	.end = put_event,
	.event = count_lost,
};

void style_heph_message(void *state, const struct message *message)
{
	struct heph *heph = state;

	if (heph->spans) {
		if (whole_call_ended(&heph->call, message)) {
			put_event(heph);
			whole_call_forget(&heph->call);
		}
		if (!heph->begun && !message_is_event(message))
			begin_trace(heph, message);
		if (!heph->call.open)
			spans_message(heph->spans, message);
		if (!message_is_event(message) && message->wall > heph->last)
			heph->last = message->wall;
	}
	whole_call_message(&heph->call, message, &parts, heph);
}

void style_heph_end(void *state)
{
	struct heph *heph = state;
	struct render_buffer *out = &heph->settings.output->text;

	if (heph->call.open)
		put_event(heph);
	if (heph->spans) {
		spans_finish(heph->spans);
		out->failed = out->failed || !spans_are_whole(heph->spans);
	}
	spans_free(heph->spans);
	heph_streams_free(&heph->streams);
	render_buffer_retire(&heph->call.text, out);
	render_buffer_retire(&heph->attributes, out);
	render_buffer_retire(&heph->text, out);
	render_buffer_retire(&heph->scratch, out);
	free(heph);
}
