#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/digits.h"
#include "base/json_text.h"
#include "decoder/export/json_fields.h"
#include "decoder/message/event_words.h"
#include "decoder/message/message_level.h"
#include "decoder/message/took.h"
#include "decoder/message/track_table.h"
#include "decoder/message/whole_call.h"
#include "decoder/output/style.h"
#include "decoder/stats/spans.h"
#include "rules/levels.h"

#define NS 1000000000u
/* Nanoseconds that a double tells apart as microseconds, and half of them. */
#define EXACT (((uint64_t)1 << 52) / NS * NS)

/* The events of the Trace Event Format, in one array. */
struct chrome {
	struct style_settings settings;
	struct calendar calendar;
	struct whole_call call;
	struct track_table tracks;
	struct render_buffer scratch;
	struct spans *spans; /* null: none are asked for */
	uint64_t span_count;
	uint64_t base; /* that times are counted from, wall time */
	bool based;
	uint64_t next; /* no event is earlier, but those of traces */
	bool any;      /* entry of the array */
};

static bool is_of_trace(const struct message *message)
{
	const struct definition_string *function = message->context->function;

	return function && function->bytes &&
	       strcmp(function->bytes, TOOK_FUNCTION) == 0;
}

/*
 * Microseconds have to be exact as a double: they begin with the first call.
 * Events of traces may come in any order, none before the trace itself.
 */
static void begin_times(struct chrome *chrome, const struct message *message)
{
	uint64_t start = message->capture->header.start.realtime;
	uint64_t base = message->wall;

	if (is_of_trace(message) && start < base)
		base = base - start > EXACT ? base - EXACT : start;
	chrome->base = base - base % NS;
	chrome->based = true;
}

static uint64_t time_of(struct chrome *chrome, const struct message *message)
{
	uint64_t time;

	if (!chrome->based)
		begin_times(chrome, message);
	time = message->wall > chrome->base ? message->wall - chrome->base : 0;
	if (is_of_trace(message))
		return time;
	if (time < chrome->next)
		time = chrome->next;
	chrome->next = time + 1;
	return time;
}

static void put_microseconds(
	struct render_buffer *out, const char *key, uint64_t time)
{
	char digits[3];

	render_buffer_put_string(out, key);
	json_text_unsigned(out, time / 1000);
	render_buffer_put_byte(out, '.');
	digits_write_last(digits, time % 1000, sizeof(digits));
	render_buffer_put(out, digits, sizeof(digits));
}

static void put_time(struct render_buffer *out, uint64_t time)
{
	put_microseconds(out, ",\"ts\":", time);
}

static struct render_buffer *begin_entry(struct chrome *chrome)
{
	struct render_buffer *out = &chrome->settings.output->text;

	if (chrome->any)
		render_buffer_put_byte(out, ',');
	chrome->any = true;
	json_text_put(out, "\n{\"name\":");
	return out;
}

static void put_ids(struct render_buffer *out, uint32_t pid, uint32_t tid)
{
	json_text_put(out, ",\"pid\":");
	json_text_unsigned(out, pid);
	json_text_put(out, ",\"tid\":");
	json_text_unsigned(out, tid);
}

/* One end of a span: they may overlap on a thread, so none is a slice of it. */
static struct render_buffer *put_end(struct chrome *chrome,
	const struct span *span, const char *phase, const struct span_end *end)
{
	const struct span_rules *rules = &chrome->settings.options->spans;
	struct render_buffer *out = begin_entry(chrome);

	json_text_word(out, rules->all[span->rule].text);
	json_text_put(out, ",\"cat\":\"span\",\"ph\":");
	json_text_word(out, phase);
	json_text_put(out, ",\"id\":\"");
	json_text_unsigned(out, chrome->span_count);
	render_buffer_put_byte(out, '"');
	put_ids(out, end->pid, end->tid);
	put_time(out, end->wall > chrome->base ? end->wall - chrome->base : 0);
	json_text_put(out, ",\"args\":{\"time\":\"");
	calendar_append_standard(&chrome->calendar, end->wall, out);
	render_buffer_put_byte(out, '"');
	return out;
}

static void take_span(void *closure, const struct span *span)
{
	struct chrome *chrome = closure;
	struct render_buffer *out = put_end(chrome, span, "b", &span->begin);

	json_text_put(out, ",\"span\":");
	json_text_unsigned(out, span->number);
	if (span->parent != 0) {
		json_text_put(out, ",\"parent\":");
		json_text_unsigned(out, span->parent);
	}
	json_text_put(out, ",\"key\":");
	json_text_string(out, span->key, span->key_bytes);
	json_text_put(out, ",\"message\":");
	json_text_string(out, span->text, span->text_bytes);
	json_text_put(out, "}}");
	if (span->ended) {
		put_end(chrome, span, "e", &span->end);
		json_text_put(out, "}}");
	}
	chrome->span_count++;
	output_settle(chrome->settings.output);
}

void *style_chrome_begin(const struct style_settings *settings)
{
	const struct span_rules *rules = &settings->options->spans;
	struct chrome *chrome = calloc(1, sizeof(*chrome));

	if (!chrome)
		return NULL;
	chrome->settings = *settings;
	chrome->calendar.utc = settings->utc;
	chrome->call.pointers = settings->pointers;
	if (rules->count > 0)
		chrome->spans = spans_new(rules, NULL, take_span, chrome);
	if (rules->count > 0 && !chrome->spans) {
		free(chrome);
		return NULL;
	}
	json_text_put(&settings->output->text,
		"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return chrome;
}

static void put_name(struct chrome *chrome, const struct message *message,
	const char *what, const char *name)
{
	struct render_buffer *out = begin_entry(chrome);

	json_text_word(out, what);
	json_text_put(out, ",\"ph\":\"M\"");
	put_ids(out, message->pid, message->tid);
	json_text_put(out, ",\"args\":{\"name\":");
	json_text_word(out, name);
	json_text_put(out, "}}");
}

/* Of whoever has not been named yet, or has another name now. */
static void put_names(struct chrome *chrome, const struct message *message)
{
	bool named;

	if (track_table_process(&chrome->tracks, message, &named) && named)
		put_name(chrome, message, "process_name",
			message->program->name);
	if (track_table_thread(&chrome->tracks, message, &named) && named)
		put_name(chrome, message, "thread_name", message->thread);
}

/* Without the newline at its end, nor how long it took; null: it is of one
 * moment. */
static void put_title(struct render_buffer *out, const struct message *message,
	const struct took *took)
{
	const struct definition_string *function = message->context->function;
	const struct definition_string *format = message_statement(message);
	size_t bytes = format ? format->length : 0;

	if (bytes > 0 && format->bytes[bytes - 1] == '\n')
		bytes--;
	if (took)
		bytes = took->format_bytes;
	if (bytes > 0)
		json_text_string(out, format->bytes, bytes);
	else
		json_text_word(out,
			function && function->bytes ? function->bytes : "?");
}

static void put_when(struct chrome *chrome, const struct message *message,
	const struct took *took, struct render_buffer *out)
{
	put_ids(out, message->pid, message->tid);
	put_time(out, time_of(chrome, message));
	if (took && took->substream == 0)
		put_microseconds(out, ",\"dur\":", took->nanoseconds);
	json_text_put(out, ",\"args\":{\"time\":\"");
	calendar_append_standard(&chrome->calendar, message->wall, out);
	render_buffer_put_byte(out, '"');
}

/* Slices nest in a thread, and those of a substream in that. */
static void put_phase(struct render_buffer *out, const struct message *message,
	const struct took *took, const char *phase)
{
	json_text_put(out, ",\"ph\":");
	json_text_word(out, !took ? "i" : took->substream == 0 ? "X" : phase);
	if (!took) {
		json_text_put(out, ",\"s\":\"t\"");
	} else if (took->substream != 0) {
		json_text_put(out, ",\"id\":\"");
		json_text_unsigned(out, message->tid);
		render_buffer_put_byte(out, '.');
		json_text_unsigned(out, took->substream);
		render_buffer_put_byte(out, '"');
	}
}

static void put_category(struct chrome *chrome, const struct message *message,
	const struct took *took, const char *phase, struct render_buffer *out)
{
	const char *level = level_name(message_level(message));
	struct render_buffer *scratch = &chrome->scratch;
	char *comma;

	scratch->length = 0;
	message_words_stream(message, scratch);
	while (scratch->length > 0 &&
		(comma = memchr(scratch->data, ',', scratch->length)))
		*comma = ' '; /* it would be two */
	json_text_put(out, ",\"cat\":\"");
	json_text_escape(out, scratch->data, scratch->length);
	if (level) {
		render_buffer_put_byte(out, ',');
		json_text_escape(out, level, strlen(level));
	}
	render_buffer_put_byte(out, '"');
	put_phase(out, message, took, phase);
}

static void put_coroutine(
	struct render_buffer *out, const struct message *message)
{
	if (message->coroutine == 0)
		return;
	json_text_put(out, ",\"coroutine\":");
	json_text_unsigned(out, message->coroutine);
}

static void put_location(struct chrome *chrome, const struct message *message,
	struct render_buffer *out)
{
	facts_each(facts_of_location, FACTS_COUNT(facts_of_location),
		chrome->settings.location, message, &chrome->scratch,
		json_fact_put, out);
	if (!chrome->settings.stack)
		return;
	json_text_put(out, ",\"stack\":");
	json_location_stack(out, chrome->settings.locations, message,
		chrome->settings.options->depth);
}

static void put_head(struct chrome *chrome, const struct message *message,
	const struct took *took)
{
	struct render_buffer *out;
	size_t end;

	put_names(chrome, message);
	out = begin_entry(chrome);
	put_title(out, message, took);
	put_category(chrome, message, took, "b", out);
	put_when(chrome, message, took, out);
	put_coroutine(out, message);
	put_location(chrome, message, out);
	json_text_put(out, ",\"values\":{");
	end = out->length;
	json_fields_members(out, message, &chrome->scratch);
	if (out->length > end)
		out->length--; /* the comma behind the last */
	json_text_put(out, "}");
}

static void put_text(struct chrome *chrome)
{
	struct render_buffer *out = &chrome->settings.output->text;

	json_text_put(out, ",\"message\":");
	json_text_string(out, chrome->call.text.data, chrome->call.text.length);
	json_text_put(out, "}}");
	whole_call_forget(&chrome->call);
	output_settle(chrome->settings.output);
}

/* Of a slice of a substream. */
static void put_end_of(struct chrome *chrome, const struct message *message,
	const struct took *took)
{
	struct render_buffer *out = begin_entry(chrome);

	put_title(out, message, took);
	put_category(chrome, message, took, "e", out);
	put_ids(out, message->pid, message->tid);
	put_time(out, time_of(chrome, message) + took->nanoseconds);
	json_text_put(out, ",\"args\":{}}");
	output_settle(chrome->settings.output);
}

/* The end of a process is an event of all its threads. */
static void put_event(struct chrome *chrome, const struct message *message)
{
	struct render_buffer *scratch = &chrome->scratch;
	struct render_buffer *out;

	put_names(chrome, message);
	out = begin_entry(chrome);
	json_text_word(out, event_words_name(message));
	json_text_put(out, ",\"cat\":\"event\",\"ph\":\"i\",\"s\":");
	json_text_word(
		out, event_words_are_of_process(message) ? "p" : "t");
	put_when(chrome, message, NULL, out);
	scratch->length = 0;
	event_words_put(message, scratch);
	json_text_put(out, ",\"words\":");
	json_text_string(out, scratch->data, scratch->length);
	json_text_put(out, "}}");
	output_settle(chrome->settings.output);
}

void style_chrome_message(void *state, const struct message *message)
{
	struct chrome *chrome = state;
	struct took took;
	bool slice = took_of(message, &took);

	if (whole_call_ended(&chrome->call, message))
		put_text(chrome);
	if (chrome->spans && !chrome->call.open)
		spans_message(chrome->spans, message);
	if (message_is_event(message)) {
		if (event_words_are(message))
			put_event(chrome, message);
		return;
	}
	if (!chrome->call.open)
		put_head(chrome, message, slice ? &took : NULL);
	if (whole_call_add(&chrome->call, message))
		put_text(chrome);
	if (slice && took.substream != 0)
		put_end_of(chrome, message, &took);
}

void style_chrome_end(void *state)
{
	struct chrome *chrome = state;
	struct render_buffer *out = &chrome->settings.output->text;

	if (chrome->call.open)
		put_text(chrome);
	if (chrome->spans) {
		spans_finish(chrome->spans);
		out->failed = out->failed || !spans_are_whole(chrome->spans);
	}
	spans_free(chrome->spans);
	json_text_put(out, "\n],\"otherData\":{\"start\":\"");
	calendar_append_standard(&chrome->calendar, chrome->base, out);
	json_text_put(out, "\",\"start_ns\":\"");
	json_text_unsigned(out, chrome->base);
	json_text_put(out, "\"}}\n");
	out->failed = out->failed || chrome->tracks.failed;
	track_table_free(&chrome->tracks);
	render_buffer_retire(&chrome->call.text, out);
	render_buffer_retire(&chrome->scratch, out);
	free(chrome);
}
