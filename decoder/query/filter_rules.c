#include "decoder/query/filter_rules.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/suggest.h"
#include "base/time_parse.h"
#include "decoder/message/category.h"
#include "decoder/query/lines_around.h"
#include "record/layout.h"
#include "rules/levels.h"
#include "rules/path_glob.h"

#define LEVELS ((size_t)LEVEL_LAST + 1)
static const char too_many[] =
	"given more often than can be kept: leave some out";

const char *filter_rules_add_number(
	struct filter_numbers *numbers, const char *value)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno ||
		number > UINT32_MAX)
		return "not the number of a process, thread or coroutine: give digits";
	if (numbers->count == FILTER_RULES_MAX)
		return too_many;
	numbers->numbers[numbers->count++] = (uint32_t)number;
	return NULL;
}

const char *filter_rules_add_text(struct filter_texts *texts, const char *value)
{
	if (texts->count == FILTER_RULES_MAX)
		return too_many;
	texts->texts[texts->count++] = value;
	return NULL;
}

/* Where the beginning of the glob leads through symbolic links, or null. */
static char *follow_links(const char *glob, size_t length)
{
	size_t directory = path_glob_directory(glob, length);
	char *path = strndup(glob, directory);
	char *real = path && *path == '/' ? realpath(path, NULL) : NULL;
	char *whole = NULL;

	if (real && asprintf(&whole, "%s/%.*s", strcmp(real, "/") ? real : "",
			    (int)(length - directory), glob + directory) < 0)
		whole = NULL;
	free(path);
	free(real);
	return whole;
}

static const char *add_glob(
	struct filter_rules *rules, const char *glob, size_t length)
{
	struct filter_glob *added = &rules->globs[rules->glob_count];

	if (length == 0)
		return "no file is named: give file:GLOB";
	if (rules->glob_count == FILTER_GLOBS_MAX)
		return "more globs than can be kept: use one that matches more";
	while (length > 2 && memcmp(glob, "./", 2) == 0) {
		glob += 2;
		length -= 2;
	}
	added->text = glob;
	added->length = length;
	added->real = follow_links(glob, length);
	rules->glob_count++;
	rules->streams |= BINLOG_STREAM_FILE;
	return NULL;
}

static const char *parse_stream(
	struct filter_rules *rules, const char *name, size_t length)
{
	static const struct {
		const char *name;
		uint32_t flag;
	} streams[] = {
		{"stdout", BINLOG_STREAM_STDOUT},
		{"stderr", BINLOG_STREAM_STDERR},
		{"syslog", BINLOG_STREAM_SYSLOG},
	};
	size_t i;

	for (i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		if (strlen(streams[i].name) != length ||
			memcmp(streams[i].name, name, length) != 0)
			continue;
		rules->streams |= streams[i].flag;
		return NULL;
	}
	if (length >= 5 && memcmp(name, "file:", 5) == 0)
		return add_glob(rules, name + 5, length - 5);
	return "no such stream: give stdout, stderr, syslog or file:GLOB";
}

const char *filter_rules_add_streams(
	struct filter_rules *rules, const char *list)
{
	const char *wrong;

	for (;;) {
		size_t length = strcspn(list, ",");

		wrong = parse_stream(rules, list, length);
		if (wrong || !list[length])
			return wrong;
		list += length + 1;
	}
}

/* GLOB, or GLOB:LINE. */
const char *filter_rules_add_file(struct filter_rules *rules, const char *value)
{
	const char *colon = strrchr(value, ':');
	struct filter_file file = {.glob = value, .length = strlen(value)};
	unsigned long line;
	char *end;

	if (colon && isdigit((unsigned char)colon[1])) {
		errno = 0;
		line = strtoul(colon + 1, &end, 10);
		if (*end == '\0') {
			if (errno || line == 0 || line > UINT32_MAX)
				return "no such line can be: they are counted "
				       "from 1";
			file.line = (uint32_t)line;
			file.length = (size_t)(colon - value);
		}
	}
	if (file.length == 0)
		return "no file is named: give GLOB or GLOB:LINE";
	if (rules->files.count == FILTER_RULES_MAX)
		return too_many;
	rules->files.all[rules->files.count++] = file;
	return NULL;
}

static const char *complain_of_level(
	struct filter_rules *rules, const char *value)
{
	static const char *const names[] = {
#define LEVEL(name, number, what) #name,
#define LEVEL_ALIAS(name, number)
#include "rules/levels.def"
#undef LEVEL
#undef LEVEL_ALIAS
	};
	const char *near =
		suggest_nearest(value, names, sizeof(names) / sizeof(names[0]));

	snprintf(rules->problem, sizeof(rules->problem),
		"no such level: %s%s%sgive emerg, alert, crit, err, warning, "
		"notice, info, debug, trace or a number",
		near ? "did you mean " : "", near ? near : "",
		near ? "? " : "");
	return rules->problem;
}

/* The level that has this name or number, or LEVELS. */
static size_t level_of(const char *name, size_t bytes)
{
	int level;

	return level_named(name, bytes, &level) && level >= 0 &&
			       (size_t)level < LEVELS
		       ? (size_t)level
		       : LEVELS;
}

/* LEVEL, which includes all that are more important, or FROM..TO. */
const char *filter_rules_add_levels(
	struct filter_rules *rules, const char *value)
{
	const char *dots = strstr(value, "..");
	size_t from = dots ? level_of(value, (size_t)(dots - value)) : 0;
	const char *last = dots ? dots + 2 : value;
	size_t to = level_of(last, strlen(last));

	if (from >= LEVELS || to >= LEVELS)
		return complain_of_level(rules, from >= LEVELS ? value : last);
	if (from > to) {
		size_t swap = from;

		from = to;
		to = swap;
	}
	for (; from <= to; from++)
		rules->levels |= (uint16_t)(1u << from);
	return NULL;
}

const char *filter_rules_add_expression(
	struct filter_rules *rules, const char *value)
{
	struct expression *expression;

	if (rules->expression_count == FILTER_RULES_MAX)
		return too_many;
	expression =
		expression_new(value, rules->problem, sizeof(rules->problem));
	if (!expression)
		return rules->problem;
	rules->expressions[rules->expression_count++] = expression;
	return NULL;
}

const char *filter_rules_add_grep(struct filter_rules *rules, const char *value)
{
	struct grep *grep;

	if (rules->grep_count == FILTER_RULES_MAX)
		return too_many;
	grep = grep_new(value, rules->problem, sizeof(rules->problem));
	if (!grep)
		return rules->problem;
	rules->greps[rules->grep_count++] = grep;
	return NULL;
}

const char *filter_rules_finish(
	struct filter_rules *rules, bool utc, const char **option)
{
	static const char wrong[] =
		"not a time: give one such as \"2026-11-21 17:00\", 17:00, "
		"yesterday, -5min or @SECONDS";
	struct timespec time;
	uint64_t now;

	clock_gettime(CLOCK_REALTIME, &time);
	now = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
	rules->about_threads =
		rules->pids.count || rules->tids.count ||
		rules->threads.count || rules->coroutines.count;
	rules->until = UINT64_MAX;
	rules->timed = rules->since_text || rules->until_text;
	*option = "--category";
	if (rules->categories.count > 0 &&
		!filter_rules_use_categories(rules, NULL))
		return "out of memory";
	*option = "--since";
	if (rules->since_text &&
		!time_parse(rules->since_text, now, utc, &rules->since))
		return wrong;
	*option = "--until";
	if (rules->until_text &&
		!time_parse(rules->until_text, now, utc, &rules->until))
		return wrong;
	if (rules->since > rules->until)
		return "before --since: nothing can be shown: exchange them";
	return NULL;
}

bool filter_rules_use_categories(
	struct filter_rules *rules, const struct rules *given)
{
	category_free(rules->category);
	rules->category = category_new(given, rules->locations);
	return rules->category;
}

bool filter_rules_ask_for_text(const struct filter_rules *rules)
{
	return rules->formats.count || rules->functions.count ||
	       rules->modules.count || rules->categories.count ||
	       filter_rules_ask_for_locations(rules) || rules->levels ||
	       rules->expression_count || rules->grep_count;
}

bool filter_rules_ask_for_locations(const struct filter_rules *rules)
{
	return rules->callers.count || rules->files.count;
}

void filter_rules_free(struct filter_rules *rules)
{
	size_t i;

	for (i = 0; i < rules->expression_count; i++)
		expression_free(rules->expressions[i]);
	for (i = 0; i < rules->grep_count; i++)
		grep_free(rules->greps[i]);
	lines_around_free(rules->around);
	category_free(rules->category);
	*rules = (struct filter_rules){0};
}
