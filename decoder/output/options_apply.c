#include "decoder/output/options_apply.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "decoder/capture/by_hand.h"
#include "decoder/output/last_lines.h"
#include "decoder/output/options.h"

#define CONTEXT_MAX 1000000u
#define WIDTH_MAX 100000u

static bool parse_number(const char *text, uint32_t *number)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno ||
		value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	return true;
}

/* Null, or what is wrong.  A null ends each of the lists. */
static const char *add_path(
	const char **paths, size_t *count, const char *value)
{
	if (*count == OPTIONS_PATHS_MAX)
		return "given more often than can be kept: leave some out";
	paths[(*count)++] = value;
	return NULL;
}

/* Likewise: where the files with symbols are looked for. */
static const char *apply_to_symbols(
	struct options *options, int option, const char *value)
{
	struct symbolizer_options *symbols = &options->symbols;

	switch (option) {
	case NUMBER_PATH_MAP:
		if (*value == '=' || !strchr(value, '='))
			return "not FROM=TO: give two paths with = between";
		symbols->path_maps = options->path_maps;
		return add_path(
			options->path_maps, &options->path_map_count, value);
	case NUMBER_SYSROOT:
		symbols->sysroot = value;
		break;
	case NUMBER_DEBUG_DIR:
		symbols->debug_directories = options->debug_directories;
		return add_path(options->debug_directories,
			&options->debug_directory_count, value);
	case NUMBER_EXE:
		return add_path(options->executables,
			&options->executable_count, value);
	case NUMBER_TEXT:
		return add_path(options->texts, &options->text_count, value);
	case NUMBER_FORCE:
		symbols->force = true;
		break;
	case NUMBER_DEBUGINFOD:
		if (!getenv("DEBUGINFOD_URLS"))
			return "DEBUGINFOD_URLS is not set: set it to the "
			       "addresses of servers";
		symbols->debuginfod = true;
		break;
	}
	return NULL;
}

/* Likewise: what is asked for. */
static const char *apply_to_rules(
	struct options *options, int option, const char *value)
{
	struct filter_rules *rules = &options->rules;

	switch (option) {
	case NUMBER_PID:
		return filter_rules_add_number(&rules->pids, value);
	case NUMBER_TID:
		return filter_rules_add_number(&rules->tids, value);
	case NUMBER_COROUTINE:
		return filter_rules_add_number(&rules->coroutines, value);
	case NUMBER_THREAD:
		return filter_rules_add_text(&rules->threads, value);
	case NUMBER_SINCE:
		rules->since_text = value;
		break;
	case NUMBER_UNTIL:
		rules->until_text = value;
		break;
	case NUMBER_GREP:
		return filter_rules_add_grep(rules, value);
	case NUMBER_FORMAT:
		return filter_rules_add_text(&rules->formats, value);
	case NUMBER_FUNCTION:
		return filter_rules_add_text(&rules->functions, value);
	case NUMBER_CALLER:
		return filter_rules_add_text(&rules->callers, value);
	case NUMBER_FILE:
		return filter_rules_add_file(rules, value);
	case NUMBER_MODULE:
		return filter_rules_add_text(&rules->modules, value);
	case NUMBER_CATEGORY:
		return filter_rules_add_text(&rules->categories, value);
	case NUMBER_PRIORITY:
		return filter_rules_add_levels(rules, value);
	case NUMBER_WHERE:
		return filter_rules_add_expression(rules, value);
	default:
		return apply_to_symbols(options, option, value);
	}
	return NULL;
}

static const char *set_lines(struct options *options, const char *value)
{
	options->all_lines = strcmp(value, "all") == 0;
	options->lines = LAST_LINES_ALL;
	if (!options->all_lines && !parse_number(value, &options->lines))
		return "not a number of lines: give digits, or \"all\"";
	return NULL;
}

static const char *set_limit(struct options *options, const char *value)
{
	options->list_limits |= strcmp(value, "help") == 0;
	return options->list_limits ? NULL : limits_set(value);
}

static const char *set_when(enum options_when *when, const char *value)
{
	if (strcmp(value, "auto") == 0)
		*when = OPTIONS_WHEN_AUTO;
	else if (strcmp(value, "always") == 0)
		*when = OPTIONS_WHEN_ALWAYS;
	else if (strcmp(value, "never") == 0)
		*when = OPTIONS_WHEN_NEVER;
	else
		return "not known when that is: give auto, always or never";
	return NULL;
}

/* Likewise: what is made of the messages. */
static const char *apply_to_analyses(
	struct options *options, int option, const char *value)
{
	switch (option) {
	case NUMBER_SPANS:
		if (strcmp(options->style, "line") == 0)
			options->style = "spans";
		return span_rules_add(&options->spans, value);
	case NUMBER_LONGEST:
		if (!parse_number(value, &options->longest) ||
			options->longest == 0)
			return "not a number of spans: give digits";
		break;
	case NUMBER_COVERAGE:
		options->style = "coverage";
		break;
	default:
		return apply_to_rules(options, option, value);
	}
	return NULL;
}

/* Likewise: how it is shown. */
static const char *apply_to_look(
	struct options *options, int option, const char *value)
{
	const char *wrong;
	uint32_t depth;

	if (report_options_apply(options, option, value, &wrong))
		return wrong;
	switch (option) {
	case NUMBER_RAW:
		options->style = "raw";
		break;
	case NUMBER_DEPTH:
		if (!parse_number(value, &depth))
			return "not a number of frames: give digits";
		options->depth = depth;
		break;
	case NUMBER_OUTPUT:
		options->style = value;
		break;
	case NUMBER_COLUMNS:
		options->columns.help = strcmp(value, "help") == 0;
		return options->columns.help
			       ? NULL
			       : columns_parse(&options->columns, value);
	case NUMBER_LINES:
		return set_lines(options, value);
	case NUMBER_WIDTH:
		if (!parse_number(value, &options->width) ||
			options->width > WIDTH_MAX)
			return "not a number of columns: give digits, at most "
			       "100000; 0 is as in a file";
		break;
	case NUMBER_AROUND:
		options->around = value;
		break;
	case NUMBER_CONTEXT:
		options->has_context = true;
		if (!parse_number(value, &options->context) ||
			options->context > CONTEXT_MAX)
			return "not a number of lines: give digits, at most "
			       "1000000";
		break;
	case NUMBER_COLOR:
		return set_when(&options->color, value);
	case NUMBER_STATEMENTS:
		return set_when(&options->statements, value);
	case NUMBER_MESSAGE:
		options->bare = strcmp(value, "statement") == 0;
		if (!options->bare && strcmp(value, "whole") != 0)
			return "not a part of a message: give whole or "
			       "statement";
		break;
	case NUMBER_PROCESSES:
		options->style = "processes";
		break;
	case NUMBER_EXPLAIN:
		/* what was recorded, not what was made of it */
		options->style = "explain";
		options->statements = OPTIONS_WHEN_NEVER;
		break;
	case NUMBER_RATES:
		options->style = "rates";
		break;
	default:
		return apply_to_analyses(options, option, value);
	}
	return NULL;
}

bool *options_apply_flag(struct options *options, int option)
{
	switch (option) {
	case NUMBER_WRITTEN:
		return &options->as_written;
	case NUMBER_STACKS:
		return &options->stacks;
	case NUMBER_SOURCE:
		return &options->source;
	case NUMBER_LOCATION:
		return &options->location;
	case NUMBER_POINTERS:
		return &options->pointers;
	case NUMBER_REVERSE:
		return &options->reverse;
	case NUMBER_FOLLOW:
		return &options->follow;
	case NUMBER_NO_PAGER:
		return &options->no_pager;
	case NUMBER_INDEX:
		return &options->index;
	case NUMBER_RECOVER:
		return &options->recover;
	case NUMBER_DIFF:
		return &options->diff;
	case NUMBER_ALL:
		return &options->all;
	case NUMBER_STRICT:
		return &options->strict;
	case NUMBER_UTC:
		return &options->utc;
	case NUMBER_QUIET:
		return &options->quiet;
	default:
		return NULL;
	}
}

const char *options_apply(
	struct options *options, int option, const char *value)
{
	bool *flag = options_apply_flag(options, option);

	if (option == NUMBER_STREAM)
		return filter_rules_add_streams(&options->rules, value);
	if (option == NUMBER_LIMIT)
		return set_limit(options, value);
	if (option == NUMBER_AS)
		return by_hand_add(value);
	if (option == NUMBER_HEX)
		by_hand_hex();
	else if (option == NUMBER_NO_LIMITS)
		limits_lift();
	else if (option == NUMBER_CONFIG)
		options->config = value;
	else if (option == NUMBER_TO)
		options->to = strcmp(value, "-") == 0 ? NULL : value;
	else if (flag)
		*flag = true;
	else
		return apply_to_look(options, option, value);
	return NULL;
}
