#include "decoder/message/category.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/limits.h"
#include "decoder/message/message_level.h"
#include "decoder/names/locations.h"
#include "record/layout.h"
#include "record/switches.h"
#include "rules/policy.h"
#include "rules/rules.h"

/* Null where it has none. */
struct category_rules {
	const struct recording *capture;
	char *text;
	void *memory;
	const struct rules *rules;
};

struct category {
	const struct rules *given;
	struct locations *locations;
	struct category_rules captures[LIMITS_RULED_CAPTURES];
	size_t count;
};

struct category *category_new(
	const struct rules *rules, struct locations *locations)
{
	struct category *category = calloc(1, sizeof(*category));

	if (category)
		*category = (struct category){
			.given = rules, .locations = locations};
	return category;
}

void category_free(struct category *category)
{
	size_t i;

	for (i = 0; category && i < category->count; i++) {
		free(category->captures[i].text);
		free(category->captures[i].memory);
	}
	free(category);
}

/* The text of its rules.  Null: there is none. */
static char *read_text(struct recording *capture, size_t *bytes)
{
	struct binlog_switches switches;
	char *text;

	if (capture->packed ||
		recording_read(capture,
			capture->header_at + BINLOG_SWITCHES_OFFSET, &switches,
			sizeof(switches)) < sizeof(switches) ||
		switches.rules_bytes == 0 ||
		switches.rules_bytes > RULES_TEXT_MAX ||
		switches.rules_at >= capture->size)
		return NULL;
	*bytes = switches.rules_bytes;
	text = malloc(*bytes);
	if (text && recording_read(capture, switches.rules_at, text, *bytes) ==
			    *bytes)
		return text;
	free(text);
	return NULL;
}

static void read_rules(struct category_rules *made, struct recording *capture)
{
	struct rules_error error;
	size_t bytes = 0;
	size_t room;

	made->capture = capture;
	made->text = read_text(capture, &bytes);
	if (!made->text)
		return;
	room = rules_room(made->text, bytes);
	made->memory = malloc(room);
	if (made->memory)
		made->rules = rules_parse(
			made->text, bytes, made->memory, room, &error);
}

static const struct rules *rules_of(
	struct category *category, struct recording *capture)
{
	size_t i;

	if (category->given)
		return category->given;
	for (i = category->count; i > 0; i--)
		if (category->captures[i - 1].capture == capture)
			return category->captures[i - 1].rules;
	if (limits_reached(LIMIT_RULED_CAPTURES, category->count))
		return NULL;
	read_rules(&category->captures[category->count], capture);
	return category->captures[category->count++].rules;
}

static uint64_t caller_of(const struct message *message)
{
	const struct definition_context *context = message->context;

	return context->depth > 0 ? context->frames[0] - 1 : 0;
}

static const struct program_module *module_of(const struct message *message)
{
	uint64_t caller = caller_of(message);

	return caller ? program_module_at(message->program, caller,
				message->context->modules)
		      : NULL;
}

const char *category_module(const struct message *message)
{
	const struct program_module *module = module_of(message);
	const char *slash = module ? strrchr(module->path, '/') : NULL;

	return slash ? slash + 1 : module ? module->path : NULL;
}

uint64_t category_offset(const struct message *message)
{
	return caller_of(message) - module_of(message)->bias;
}

static unsigned streams_of(const struct message *message)
{
	uint32_t flags = message_stream(message);

	return (flags & BINLOG_STREAM_STDOUT ? POLICY_STDOUT : 0) |
	       (flags & BINLOG_STREAM_STDERR ? POLICY_STDERR : 0) |
	       (flags & BINLOG_STREAM_SYSLOG ? POLICY_SYSLOG : 0);
}

/* As the library has described it to its rules. */
static struct rule_site site_of(const struct message *message)
{
	const struct definition_context *context = message->context;
	const struct definition_string *format =
		message_is_event(message) ? NULL : message_statement(message);
	const struct program_module *module = module_of(message);
	struct rule_site site = {
		.program = message->program->name,
		.executable = message->program->executable,
		.called = context->function ? context->function->bytes : NULL,
		.streams = streams_of(message),
		.path = context->stream ? context->stream->path : NULL,
		.thread = message->thread,
		.level = message_level(message),
	};

	if (format) {
		site.format = format->bytes;
		site.format_bytes = format->length;
	}
	if (module) {
		site.module = module->path;
		site.build_id = module->build_id;
		site.build_id_bytes = (unsigned)module->build_id_bytes;
		site.offset = caller_of(message) - module->bias;
	}
	return site;
}

struct sources {
	struct rule_source all[LIMITS_RULED_INLINED];
	unsigned count;
};

static void take_source(void *closure, const struct location *location)
{
	struct sources *sources = closure;

	if (!limits_reached(LIMIT_RULED_INLINED, sources->count))
		sources->all[sources->count++] = (struct rule_source){
			location->function, location->file, location->line};
}

static bool put_by_rule(const struct category *category,
	const struct rules *rules, const struct message *message,
	struct render_buffer *out)
{
	struct rule_decision decided;
	struct rule_site site;
	struct sources sources = {.count = 0};

	if (!rules)
		return false;
	site = site_of(message);
	if (category->locations && rules_ask(rules) & RULES_ASK_SOURCE &&
		caller_of(message))
		locations_find(category->locations, message, caller_of(message),
			take_source, &sources);
	site.sources = sources.all;
	site.sources_count = sources.count;
	rules_decide(rules, &site, &decided);
	if (decided.category)
		escape_put(out, decided.category, decided.category_bytes,
			ESCAPE_NEWLINE);
	return decided.category;
}

void category_put(struct category *category, const struct message *message,
	struct render_buffer *out)
{
	struct message_syslog syslog;
	const char *name;

	if (message_is_event(message) ||
		put_by_rule(category, rules_of(category, message->capture),
			message, out))
		return;
	if (message_is_syslog(message, &syslog) && syslog.ident) {
		escape_put(
			out, syslog.ident, syslog.ident_bytes, ESCAPE_NEWLINE);
		return;
	}
	name = category_module(message);
	if (!name)
		name = message->program->name;
	escape_put(out, name, strlen(name), ESCAPE_NEWLINE);
}
