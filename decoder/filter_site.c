#include "decoder/filter_site.h"

#include <fnmatch.h>
#include <string.h>

#include "record/layout.h"

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

static bool has_level(const struct definition_context *context)
{
	return context->text == BINLOG_TEXT_SYSLOG ||
	       context->text == BINLOG_TEXT_SYSLOG_PERROR;
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

const struct filter_site *filter_site_new(const struct filter_rules *rules,
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
		       is_function_asked_for(rules, context->function) &&
		       (rules->levels == 0 || has_level(context));
	site->ends_line = grep_format_ends_line(context, format);
	site->found = search(rules, context, format);
	site->rules = rules;
	site->next = context->filter;
	context->filter = site;
	return site;
}
