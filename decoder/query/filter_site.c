#include "decoder/query/filter_site.h"

#include <fnmatch.h>
#include <string.h>

#include "decoder/message/category.h"
#include "decoder/message/message_level.h"
#include "decoder/names/frames.h"
#include "record/layout.h"
#include "rules/path_glob.h"

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

void filter_site_settle(struct filter_site *site, const struct message *message)
{
	site->settled = true;
	if (site->chosen)
		site->chosen = is_place_asked_for(site->rules, message);
	if (site->chosen && site->rules->levels != 0)
		settle_level(site, message);
}
