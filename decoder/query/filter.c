#include "decoder/query/filter.h"

#include <fnmatch.h>
#include <string.h>

#include "decoder/message/category.h"
#include "decoder/message/message_level.h"
#include "decoder/names/frames.h"
#include "decoder/query/lines_around.h"
#include "record/layout.h"
#include "rules/path_glob.h"

/*
 * What the rules say of all messages with one context, decided once.  Asked by
 * the filters.
 */

static bool matches_any(const struct filter_texts *globs, const char *text)
{
	size_t i;

	for (i = 0; i < globs->count; i++)
		if (fnmatch(globs->texts[i], text, 0) == 0)
			return true;
	return globs->count == 0;
}

/* With or without the newline at its end. */
static bool is_format_asked_for(const struct filter_rules *rules,
	const struct definition_string *format, struct pool *pool)
{
	size_t length;
	char *line;

	if (rules->formats.count == 0)
		return true;
	if (!format || !format->bytes)
		return false;
	if (matches_any(&rules->formats, format->bytes))
		return true;
	length = format->length;
	if (length == 0 || format->bytes[length - 1] != '\n')
		return false;
	line = pool_copy(pool, format->bytes, length - 1);
	return line && matches_any(&rules->formats, line);
}

static bool is_function_asked_for(const struct filter_rules *rules,
	const struct definition_string *function)
{
	return rules->functions.count == 0 ||
	       (function && function->bytes &&
		       matches_any(&rules->functions, function->bytes));
}

/* Whether one of the expressions may be true. */
static bool bind(const struct filter_rules *rules,
	const struct definition_context *context,
	const struct definition_string *format, struct pool *pool,
	struct filter_site *site)
{
	bool any = rules->expression_count == 0;
	size_t i;

	for (i = 0; i < rules->expression_count; i++) {
		site->bindings[i] = expression_bind(
			rules->expressions[i], context, format, pool);
		any = any || site->bindings[i];
	}
	return any;
}

static enum grep_answer search(const struct filter_rules *rules,
	const struct definition_context *context,
	const struct definition_string *format)
{
	enum grep_answer best = rules->grep_count == 0 ? GREP_ALWAYS
				: rules->reworded      ? GREP_DEPENDS
						       : GREP_NEVER;
	size_t i;

	for (i = 0; i < rules->grep_count && best != GREP_ALWAYS; i++) {
		enum grep_answer answer = grep_format_answer(
			rules->greps[i], context, format, rules->named);

		if (answer > best)
			best = answer;
	}
	return best;
}

struct filter_site *filter_site_new(const struct filter_rules *rules,
	struct definition_context *context,
	const struct definition_string *format, struct pool *pool)
{
	struct filter_site *site = pool_take(
		pool, sizeof(*site) + rules->expression_count *
					      sizeof(site->bindings[0]));

	if (!site)
		return NULL;
	site->chosen = bind(rules, context, format, pool, site) &&
		       is_format_asked_for(rules, format, pool) &&
		       is_function_asked_for(rules, context->function);
	site->settled = !rules->levels && !rules->modules.count &&
			!filter_rules_ask_for_places(rules);
	site->has_level = false;
	site->ends_line = grep_format_ends_line(context, format);
	site->found = search(rules, context, format);
	site->rules = rules;
	site->next = context->filter;
	context->filter = site;
	return site;
}

/* A name alone is asked for in any directory. */
static bool is_file(const struct filter_file *file, const char *path)
{
	const char *slash = strrchr(path, '/');

	return path_glob_matches(file->glob, file->length, path) ||
	       (slash && !memchr(file->glob, '/', file->length) &&
		       path_glob_matches(file->glob, file->length, slash + 1));
}

struct author {
	const struct filter_rules *rules;
	bool asked_for;
};

static bool is_file_asked_for(
	const struct filter_files *files, const struct place *place)
{
	size_t i;

	for (i = 0; place->file && i < files->count; i++)
		if ((files->all[i].line == 0 ||
			    files->all[i].line == place->line) &&
			is_file(&files->all[i], place->file))
			return true;
	return files->count == 0;
}

/* For frames_author(). */
static void take_author(void *closure, const struct place *place)
{
	struct author *author = closure;
	const struct filter_texts *callers = &author->rules->callers;

	author->asked_for =
		is_file_asked_for(&author->rules->files, place) &&
		(callers->count == 0 ||
			(place->function &&
				matches_any(callers, place->function)));
}

static bool is_place_asked_for(
	const struct filter_rules *rules, const struct message *message)
{
	const char *module =
		rules->modules.count > 0 ? category_module(message) : NULL;
	struct author author = {.rules = rules};

	if (rules->modules.count > 0 &&
		!(module && matches_any(&rules->modules, module)))
		return false;
	if (!filter_rules_ask_for_places(rules))
		return true;
	if (rules->places && !message_is_event(message))
		frames_author(rules->places, message, take_author, &author);
	return author.asked_for;
}

/* Of texts that a message gives itself each has its own. */
static void settle_level(
	struct filter_site *site, const struct message *message)
{
	struct message_syslog syslog;

	if (!message_is_event(message) &&
		(message_is_syslog(message, &syslog) ||
			!message_format(message)))
		return;
	if (site->rules->levels >> message_level(message) & 1)
		site->has_level = true;
	else
		site->chosen = false;
}

/* Decides what can be known only when there is one of the messages. */
static void filter_site_settle(
	struct filter_site *site, const struct message *message)
{
	site->settled = true;
	if (site->chosen)
		site->chosen = is_place_asked_for(site->rules, message);
	if (site->chosen && site->rules->levels != 0)
		settle_level(site, message);
}

static bool matches(const struct filter_glob *glob, const char *path)
{
	return path_glob_matches(glob->text, glob->length, path) ||
	       (glob->real &&
		       path_glob_matches(glob->real, strlen(glob->real), path));
}

static bool file_is_wanted(const struct filter_rules *rules,
	const struct definition_stream *stream)
{
	size_t i;

	for (i = 0; stream && stream->path && i < rules->glob_count; i++)
		if (matches(&rules->globs[i], stream->path))
			return true;
	return false;
}

/* The answer is kept: it is the same for all messages with this context. */
static bool is_wanted_file(
	const struct filter_rules *rules, struct definition_context *context)
{
	uint64_t asked = (uint64_t)1 << 2 * rules->number;
	uint64_t wanted = asked << 1;

	if (!(context->files_wanted & asked))
		context->files_wanted |=
			asked |
			(file_is_wanted(rules, context->stream) ? wanted : 0);
	return context->files_wanted & wanted;
}

bool filter_wants_stream(
	const struct filter_rules *rules, struct definition_context *context)
{
	uint32_t stream = definition_context_stream(context);

	if (rules->streams == 0)
		return true;
	if (!(rules->streams & stream))
		return false;
	return !(stream & BINLOG_STREAM_FILE) || is_wanted_file(rules, context);
}

static bool is_among(const struct filter_numbers *numbers, uint32_t number)
{
	size_t i;

	for (i = 0; i < numbers->count; i++)
		if (numbers->numbers[i] == number)
			return true;
	return numbers->count == 0;
}

static bool is_thread_wanted(
	const struct filter_texts *globs, const char *thread)
{
	size_t i;

	for (i = 0; i < globs->count; i++)
		if (fnmatch(globs->texts[i], thread, 0) == 0)
			return true;
	return globs->count == 0;
}

bool filter_wants_pid(const struct filter_rules *rules, uint32_t pid)
{
	return is_among(&rules->pids, pid);
}

bool filter_wants_thread(const struct filter_rules *rules, uint32_t pid,
	uint32_t tid, const char *thread)
{

	return is_among(&rules->pids, pid) && is_among(&rules->tids, tid) &&
	       is_thread_wanted(&rules->threads, thread);
}

bool filter_asks_for_calls(const struct filter_rules *rules)
{
	return rules->about_threads || rules->streams != 0;
}

bool filter_wants(
	const struct filter_rules *rules, const struct message *message)
{
	if (!filter_asks_for_calls(rules))
		return true;
	return filter_wants_thread(
		       rules, message->pid, message->tid, message->thread) &&
	       filter_wants_stream(rules, message->context);
}

bool filter_asks_for_text(const struct filter_rules *rules)
{
	return rules && filter_rules_ask_for_text(rules);
}

bool filter_asks_for_lines(const struct filter_rules *rules)
{
	return rules &&
	       (rules->timed || rules->around || filter_asks_for_text(rules));
}

bool filter_is_timely(
	const struct filter_rules *rules, const struct message *message)
{

	return !rules->timed ||
	       (message->wall >= rules->since && message->wall <= rules->until);
}

/* Null: out of memory; then it is shown. */
static const struct filter_site *site_of(
	const struct filter_rules *rules, const struct message *message)
{
	struct definition_context *context = message->context;
	const struct definition_string *format = context->format;
	struct filter_site *site = filter_site_find(context, rules);

	if (!site) {
		if (!grep_format_is_sound(context, format))
			format = message_format(message);
		site = filter_site_new(rules, context, format, message->pool);
	}
	if (site && !site->settled)
		filter_site_settle(site, message);
	return site;
}

static bool has_level(const struct filter_rules *rules,
	const struct filter_site *site, const struct message *message)
{
	return rules->levels == 0 || site->has_level ||
	       rules->levels >> message_level(message) & 1;
}

static bool is_any_true(const struct filter_rules *rules,
	const struct filter_site *site, const struct message *message)
{
	size_t i;

	for (i = 0; i < rules->expression_count; i++)
		if (site->bindings[i] &&
			expression_is_true(rules->expressions[i],
				site->bindings[i], message))
			return true;
	return rules->expression_count == 0;
}

bool filter_chooses(
	const struct filter_rules *rules, const struct message *message)
{
	const struct filter_site *site = site_of(rules, message);

	return !site || (site->chosen && has_level(rules, site, message) &&
				is_any_true(rules, site, message));
}

bool filter_finds(
	const struct filter_rules *rules, const char *text, size_t bytes)
{
	bool found = rules->grep_count == 0;
	size_t i;

	for (i = 0; i < rules->grep_count && !found; i++)
		found = grep_finds(rules->greps[i], text, bytes);
	if (found && rules->around)
		lines_around_look(rules->around, text, bytes);
	return found;
}

bool filter_wants_line(const struct filter_rules *rules,
	const struct message *message, const char *text, size_t bytes)
{
	return !filter_asks_for_lines(rules) ||
	       (filter_is_timely(rules, message) &&
		       filter_chooses(rules, message) &&
		       filter_finds(rules, text, bytes));
}

/* Whether the texts that the message was given decide that it is not. */
static bool is_in_no_string(
	const struct filter_rules *rules, const struct message *message)
{
	size_t i;
	size_t j;

	for (i = 0; i < message->count; i++) {
		const struct render_argument *argument = &message->arguments[i];

		if (argument->kind != BINLOG_ARG_STRING)
			continue;
		for (j = 0; j < rules->grep_count; j++)
			if (argument->null ||
				grep_may_find(rules->greps[j], argument->data,
					argument->bytes))
				return false;
	}
	return true;
}

static bool is_never_found(const struct filter_rules *rules,
	const struct filter_site *site, const struct message *message)
{
	return filter_site_is_hopeless(site) ||
	       (site->found == GREP_IN_STRING &&
		       is_in_no_string(rules, message));
}

static bool is_found(const struct filter_rules *rules,
	const struct filter_site *site, const struct message *message)
{
	struct render_buffer text = {0};
	bool found;

	if (site && site->found == GREP_ALWAYS)
		return true;
	if (site && is_never_found(rules, site, message))
		return false;
	message_text(message, &text);
	if (text.length > 0 && text.data[text.length - 1] == '\n')
		text.length--;
	found = filter_finds(rules, text.data, text.length);
	render_buffer_free(&text);
	return found;
}

bool filter_selects(
	const struct filter_rules *rules, const struct message *message)
{
	if (!filter_is_timely(rules, message))
		return false;
	if (!filter_asks_for_text(rules))
		return true;
	return !message_is_event(message) && filter_chooses(rules, message) &&
	       is_found(rules, site_of(rules, message), message);
}

bool filter_passes_over(
	const struct filter_rules *rules, const struct message *message)
{
	const struct filter_site *site = site_of(rules, message);

	return site && site->ends_line &&
	       (!filter_is_timely(rules, message) ||
		       is_never_found(rules, site, message) ||
		       !filter_chooses(rules, message));
}
