#include "tools/top/top_options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command_line.h"
#include "base/limits.h"

#define DEFAULT_DIRECTORY "binlog.data"
#define NS 1000000000.0
/* Of a refresh, in seconds. */
#define DELAY_LEAST 0.1
#define DELAY_MOST 86400.0

enum option_number {
#define OPTION(name, text, letter, argument, help) NUMBER_##name,
#include "tools/top/top_options.def"
#undef OPTION
};

static const struct command_option descriptions[] = {
#define OPTION(name, text, letter, argument, help)                             \
	[NUMBER_##name] = {text, letter, argument, help, NULL},
#include "tools/top/top_options.def"
#undef OPTION
};

#define OPTIONS (sizeof(descriptions) / sizeof(descriptions[0]))

void top_options_help(char *buffer, size_t size)
{
	command_line_help(descriptions, OPTIONS, buffer, size);
}

/* Null, or what is wrong. */
static const char *parse_delay(uint64_t *delay, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (!isdigit((unsigned char)*text) || *end ||
		!(seconds >= DELAY_LEAST && seconds <= DELAY_MOST))
		return "no such time: give seconds, 0.1 or more";
	*delay = (uint64_t)(seconds * NS);
	return NULL;
}

/* Likewise. */
static const char *parse_count(uint64_t *count, const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || value == 0 ||
		value > UINT32_MAX)
		return "no such number: give one from 1 on";
	*count = value;
	return NULL;
}

/* Likewise. */
static const char *parse_rows(struct top_settings *settings, const char *text)
{
	uint64_t rows = 0;
	const char *wrong = parse_count(&rows, text);

	settings->rows = (size_t)rows;
	return wrong;
}

/* Likewise. */
static const char *parse_view(struct top_settings *settings, const char *text)
{
	int i;

	settings->view_given = true;
	for (i = 0; i < TOP_VIEWS; i++)
		if (strcmp(text, top_settings_view((enum top_view)i)) == 0) {
			settings->view = (enum top_view)i;
			return NULL;
		}
	return "no such view: give sites, processes, threads or captures";
}

/* Likewise. */
static const char *parse_sort(struct top_settings *settings, const char *text)
{
	int i;

	for (i = 0; i < TOP_SORTS; i++)
		if (strcmp(text, top_settings_sort((enum top_sort)i)) == 0) {
			settings->sort = (enum top_sort)i;
			return NULL;
		}
	return "no such key: give rate, total, bytes or name";
}

/* Likewise. */
static const char *parse_filter(struct top_settings *settings, const char *text)
{
	if (strlen(text) >= sizeof(settings->filter))
		return "too long a text: give less than 128 bytes";
	snprintf(settings->filter, sizeof(settings->filter), "%s", text);
	return NULL;
}

/* Likewise. */
static const char *apply(void *closure, int option, const char *value)
{
	struct top_options *options = closure;
	struct top_settings *settings = &options->settings;

	switch (option) {
	case NUMBER_DELAY:
		return parse_delay(&settings->delay_ns, value);
	case NUMBER_BATCH:
		settings->batch = true;
		break;
	case NUMBER_COUNT:
		return parse_count(&settings->count, value);
	case NUMBER_VIEW:
		return parse_view(settings, value);
	case NUMBER_SORT:
		return parse_sort(settings, value);
	case NUMBER_FILTER:
		return parse_filter(settings, value);
	case NUMBER_ROWS:
		return parse_rows(settings, value);
	case NUMBER_LIMIT:
		return limits_set(value);
	case NUMBER_NO_LIMITS:
		limits_lift();
		break;
	case NUMBER_HELP:
		options->help = true;
		break;
	case NUMBER_VERSION:
		options->version = true;
		break;
	}
	return NULL;
}

bool top_options_parse(struct top_options *options, int argc, char **argv)
{
	struct command_line line = {
		.command = "binlog-top",
		.options = descriptions,
		.count = OPTIONS,
		.apply = apply,
		.closure = options,
	};
	const char *wrong;

	*options = (struct top_options){.settings = {
						.place = DEFAULT_DIRECTORY,
						.delay_ns = (uint64_t)NS,
					}};
	wrong = command_line_read(&line, argc, argv);
	if (!wrong && line.rest_count > 0)
		options->settings.place = line.rest[0];
	if (!wrong && line.rest_count > 1) {
		snprintf(options->problem, sizeof(options->problem),
			"%.100s: one place at a time: give a directory or the "
			"number of a process",
			line.rest[1]);
		return false;
	}
	if (wrong)
		snprintf(options->problem, sizeof(options->problem), "%s",
			wrong);
	return !wrong;
}
