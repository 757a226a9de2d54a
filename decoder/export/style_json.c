#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/digits.h"
#include "base/json_text.h"
#include "decoder/export/json_fields.h"
#include "decoder/message/event_words.h"
#include "decoder/message/message_level.h"
#include "decoder/message/whole_call.h"
#include "decoder/output/style.h"
#include "record/layout.h"
#include "rules/levels.h"

#define AUTHORS 64u	  /* a power of two */
#define AUTHOR_BYTES 176u /* longer ones are put together each time */
#define NS 1000000000u

/* The members from `program` to `coroutine`, of who has said something before.
 */
struct author {
	const char *program; /* its name; null: nobody's */
	uint64_t coroutine;
	uint32_t pid;
	uint32_t tid;
	uint32_t bytes;
	char thread[20]; /* its name; longer ones are not kept */
	char text[AUTHOR_BYTES];
};

/* What is the same in all messages of a context, as one text, and how far into
 * it something else comes: */
struct json_site {
	const char *text;
	uint32_t level;	 /* how important it is, */
	uint32_t place;	 /* the place, if that is told, */
	uint32_t first;	 /* the arguments; without any the text ends there, */
	uint32_t ends[]; /* else with the last one; of each its value */
};

/* An object for each call, on a line of its own. */
struct json {
	struct style_settings settings;
	struct calendar calendar;
	uint64_t second; /* whose digits these are, in nanoseconds */
	char digits[DIGITS_U64_MAX];
	uint32_t digit_count; /* 0: of none */
	struct whole_call call;
	struct render_buffer scratch;
	struct render_buffer made;
	struct author authors[AUTHORS]; /* by tid */
};

void *style_json_begin(const struct style_settings *settings)
{
	struct json *json = calloc(1, sizeof(*json));

	if (!json)
		return NULL;
	json->settings = *settings;
	json->calendar.utc = settings->utc;
	json->call.pointers = settings->pointers;
	return json;
}

static void put_facts(struct json *json, const struct message *message,
	const struct fact_wanted *wanted, size_t count)
{
	facts_each(wanted, count, json->settings.location, message,
		&json->scratch, json_fact_put, &json->settings.output->text);
}

/* Nanoseconds since 1970: but for the last nine digits they come again. */
static void put_nanoseconds(
	struct json *json, uint64_t wall, struct render_buffer *out)
{
	char *at;

	if (json->digit_count == 0 || wall - json->second >= NS) {
		json->second = wall - wall % NS;
		json->digit_count =
			(uint32_t)(digits_write(json->digits, wall / NS) -
				   json->digits);
	}
	if (json->second == 0) {
		json_text_unsigned(out, wall);
		return;
	}
	if (!render_buffer_reserve(out, sizeof(json->digits) + 9))
		return;
	at = out->data + out->length;
	memcpy(at, json->digits, sizeof(json->digits));
	at = digits_write_nanoseconds(
		at + json->digit_count, (uint32_t)(wall - json->second));
	out->length = (size_t)(at - out->data);
}

static void put_author(struct json *json, const struct message *message,
	struct render_buffer *out)
{
	struct author *author = &json->authors[message->tid % AUTHORS];
	const size_t start = out->length;

	if (author->program == message->program->name && author->program &&
		author->pid == message->pid && author->tid == message->tid &&
		author->coroutine == message->coroutine &&
		strcmp(author->thread, message->thread) == 0) {
		render_buffer_put(out, author->text, author->bytes);
		return;
	}
	put_facts(json, message, facts_of_origin + 2,
		FACTS_COUNT(facts_of_origin) - 2);
	author->program = NULL;
	if (out->failed || out->length - start > sizeof(author->text) ||
		strlen(message->thread) >= sizeof(author->thread))
		return;
	author->bytes = (uint32_t)(out->length - start);
	memcpy(author->text, out->data + start, author->bytes);
	memcpy(author->thread, message->thread, strlen(message->thread) + 1);
	author->program = message->program->name;
	author->pid = message->pid;
	author->tid = message->tid;
	author->coroutine = message->coroutine;
}

/* All of facts_of_origin: time_ns and ticks come first. */
static void put_origin(struct json *json, const struct message *message)
{
	struct render_buffer *out = &json->settings.output->text;

	json_text_put(out, "{\"time\":\"");
	calendar_append_standard(&json->calendar, message->wall, out);
	json_text_put(out, "\",\"time_ns\":");
	put_nanoseconds(json, message->wall, out);
	json_text_put(out, ",\"ticks\":");
	json_text_unsigned(out, message->ticks);
	put_author(json, message, out);
}

static void put_call(struct json *json, const struct message *message)
{
	put_facts(json, message, facts_of_call, FACTS_COUNT(facts_of_call));
}

static void put_location(struct json *json, const struct message *message)
{
	struct render_buffer *out = &json->settings.output->text;

	if (json->settings.location)
		put_facts(json, message, facts_of_location,
			FACTS_COUNT(facts_of_location));
	if (!json->settings.stack)
		return;
	json_text_put(out, ",\"stack\":");
	json_location_stack(out, json->settings.locations, message,
		json->settings.options->depth);
	if (message->origin)
		json_location_origin(out, json->settings.locations, message,
			json->settings.options->depth);
}

/* The format, and what comes before the value of the first argument. */
static void put_format(struct json *json, const struct message *message,
	struct render_buffer *out)
{
	static const struct fact_wanted format[] = {FACT_WANTED(format)};

	facts_each(
		format, 1, NULL, message, &json->scratch, json_fact_put, out);
	json_text_put(out, ",\"args\":[");
}

/* What comes before each value but the first. */
static void put_between(
	struct render_buffer *out, const struct fields *fields, size_t i)
{
	if (i > 0)
		json_text_put(out, "},");
	json_fields_begin(out, &fields->all[i]);
}

static void put_fact(struct json *json, const struct message *message,
	struct fact_wanted wanted)
{
	facts_each(&wanted, 1, NULL, message, &json->scratch, json_fact_put,
		&json->made);
}

/* All but what says how important it is. */
static void make_call(struct json *json, const struct message *message,
	struct json_site *site)
{
	struct render_buffer *made = &json->made;
	size_t i;

	made->length = 0;
	for (i = 0; i < FACTS_COUNT(facts_of_call); i++) {
		if (facts_of_call[i].name != FACT_level) {
			put_fact(json, message, facts_of_call[i]);
			continue;
		}
		json_text_put(made, ",\"level\":\"");
		site->level = (uint32_t)made->length;
		render_buffer_put_byte(made, '"');
	}
	site->place = (uint32_t)made->length;
}

/* Of the message's context.  Null: there is no memory for it. */
static struct json_site *make_site(struct json *json,
	const struct message *message, const struct fields *fields)
{
	struct render_buffer *made = &json->made;
	struct json_site *site = pool_take(message->pool,
		sizeof(*site) + fields->count * sizeof(site->ends[0]));
	size_t i;

	if (!site)
		return NULL;
	make_call(json, message, site);
	put_format(json, message, made);
	for (i = 0; i < fields->count; i++) {
		put_between(made, fields, i);
		site->ends[i] = (uint32_t)made->length;
	}
	site->first =
		fields->count > 0 ? site->ends[0] : (uint32_t)made->length;
	site->text = made->failed ? NULL
				  : pool_copy(message->pool, made->data,
					    made->length);
	return site->text ? site : NULL;
}

/* Null: what is told of the call depends on more than its context. */
static const struct json_site *site_of(struct json *json,
	const struct message *message, const struct fields *fields)
{
	struct fields *kept = message->context->fields;

	if (kept != fields || message->context->text == BINLOG_TEXT_SYSLOG)
		return NULL;
	if (!kept->json)
		kept->json = make_site(json, message, fields);
	return kept->json;
}

static void put_arguments(struct json *json, const struct message *message,
	const struct fields *fields, const struct json_site *site)
{
	struct render_buffer *out = &json->settings.output->text;
	size_t i;

	for (i = 0; i < fields->count; i++) {
		if (!site)
			put_between(out, fields, i);
		else if (i > 0)
			render_buffer_put(out, site->text + site->ends[i - 1],
				site->ends[i] - site->ends[i - 1]);
		json_fields_put(out, &fields->all[i], message, &json->scratch);
	}
	if (fields->count > 0)
		render_buffer_put_byte(out, '}');
	render_buffer_put_byte(out, ']');
}

static void put_site(struct json *json, const struct message *message,
	const struct json_site *site)
{
	struct render_buffer *out = &json->settings.output->text;

	render_buffer_put(out, site->text, site->level);
	render_buffer_put_string(out, level_name(message_level(message)));
	render_buffer_put(
		out, site->text + site->level, site->place - site->level);
	put_location(json, message);
	render_buffer_put(
		out, site->text + site->place, site->first - site->place);
}

static void put_head(void *state, const struct message *message)
{
	struct json *json = state;
	struct render_buffer *out = &json->settings.output->text;
	const struct fields *fields = fields_of(message);
	const struct json_site *site = site_of(json, message, fields);

	put_origin(json, message);
	if (site) {
		put_site(json, message, site);
	} else {
		put_call(json, message);
		put_location(json, message);
		put_format(json, message, out);
	}
	put_arguments(json, message, fields, site);
}

static void put_text(void *state)
{
	struct json *json = state;
	struct render_buffer *out = &json->settings.output->text;
	const struct render_buffer *text = &json->call.text;

	json_text_put(out, ",\"message\":");
	if (!json_text_string(out, text->data, text->length)) {
		json_text_put(out, ",\"message_bytes\":");
		json_text_base64(out, text->data, text->length);
	}
	json_text_put(out, "}\n");
	output_settle(json->settings.output);
}

static void put_event(void *state, const struct message *message)
{
	struct json *json = state;
	struct render_buffer *out = &json->settings.output->text;
	struct render_buffer *scratch = &json->scratch;

	put_origin(json, message);
	if (event_words_are_of_call(message)) {
		put_call(json, message);
		json_text_put(out, ",\"event\":");
		json_text_word(out, event_words_name(message));
		json_text_put(out, ",\"count\":");
		json_text_integer(out, message_event_value(message));
	} else {
		json_text_put(out, ",\"event\":");
		json_text_word(out, event_words_name(message));
		put_location(json, message);
	}
	scratch->length = 0;
	event_words_put(message, scratch);
	json_text_put(out, ",\"words\":");
	json_text_string(out, scratch->data, scratch->length);
	json_text_put(out, "}\n");
	output_settle(json->settings.output);
}

static const struct whole_call_parts parts = {
	.begin = put_head,
	.end = put_text,
	.event = put_event,
};

void style_json_message(void *state, const struct message *message)
{
	struct json *json = state;

	whole_call_message(&json->call, message, &parts, json);
}

void style_json_end(void *state)
{
	struct json *json = state;
	struct render_buffer *out = &json->settings.output->text;

	if (json->call.open)
		put_text(json);
	render_buffer_retire(&json->call.text, out);
	render_buffer_retire(&json->scratch, out);
	render_buffer_retire(&json->made, out);
	free(json);
}
