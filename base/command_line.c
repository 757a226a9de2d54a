#include "base/command_line.h"

#include <assert.h>
#include <ctype.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

#define LONG_ONLY 256 /* getopt's value of an option without a letter */
#define WRONG (-1)

struct tables {
	struct option longs[COMMAND_LINE_OPTIONS_MAX + 1];
	char shorts[2 * COMMAND_LINE_OPTIONS_MAX + 3];
};

static bool is_optional(const struct command_option *option)
{
	return option->argument && *option->argument == '[';
}

static void fill(struct tables *tables, const struct command_line *line)
{
	char *shorts = tables->shorts;
	size_t i;

	assert(line->count <= COMMAND_LINE_OPTIONS_MAX);
	if (line->stops)
		*shorts++ = '+';
	*shorts++ = ':';
	for (i = 0; i < line->count; i++) {
		const struct command_option *option = &line->options[i];

		tables->longs[i] = (struct option){.name = option->name,
			.has_arg = !option->argument	 ? no_argument
				   : is_optional(option) ? optional_argument
							 : required_argument,
			.val = LONG_ONLY + (int)i};
		if (!option->letter)
			continue;
		*shorts++ = option->letter;
		if (option->argument && !is_optional(option))
			*shorts++ = ':';
	}
}

/* WRONG: it is none. */
static int find(const struct command_line *line, int value)
{
	size_t i;

	if (value >= LONG_ONLY)
		return value - LONG_ONLY;
	for (i = 0; i < line->count; i++)
		if (line->options[i].letter == value)
			return (int)i;
	return WRONG;
}

__attribute__((format(printf, 2, 3))) static const char *say(
	struct command_line *line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line->problem, sizeof(line->problem), format, arguments);
	va_end(arguments);
	return line->problem;
}

/* The option that `--given` or `--given=value` was to be, or null. */
static const char *nearest(const struct command_line *line, const char *given)
{
	const char *names[COMMAND_LINE_OPTIONS_MAX];
	char name[SUGGEST_LENGTH_MAX + 1];
	size_t bytes = strcspn(given + 2, "=");
	size_t i;

	if (bytes > SUGGEST_LENGTH_MAX)
		return NULL;
	memcpy(name, given + 2, bytes);
	name[bytes] = '\0';
	for (i = 0; i < line->count; i++)
		names[i] = line->options[i].name;
	return suggest_nearest(name, names, line->count);
}

/* Of a name that several options begin with; null: there are not several. */
static const char *complain_of_several(
	struct command_line *line, const char *given)
{
	size_t bytes = strcspn(given + 2, "=");
	const char *names[2] = {NULL, NULL};
	size_t count = 0;
	size_t i;

	for (i = 0; i < line->count && bytes > 0; i++) {
		if (strncmp(line->options[i].name, given + 2, bytes) != 0)
			continue;
		if (count < 2)
			names[count] = line->options[i].name;
		count++;
	}
	if (count < 2)
		return NULL;
	return say(line, "%s: it may be --%s%s --%s%s: give more of it", given,
		names[0], count > 2 ? "," : " or", names[1],
		count > 2 ? " or another" : "");
}

/*
 * getopt has the letter in optopt, of a long option that takes none or lacks an
 * argument its value, and of one that there is not 0.
 */
static const char *complain(
	struct command_line *line, const char *given, int value)
{
	bool is_letter = optopt > 0 && optopt < LONG_ONLY;
	const char *why = value == ':'		? "its argument is missing"
			  : optopt >= LONG_ONLY ? "it takes no argument"
						: "no such option";
	const char letter[] = {'-', (char)optopt, '\0'};
	bool unknown = value == '?' && optopt == 0;
	const char *several = unknown ? complain_of_several(line, given) : NULL;
	const char *meant = unknown ? nearest(line, given) : NULL;

	if (several)
		return several;
	if (meant)
		return say(line, "%s: %s: did you mean --%s? See %s --help",
			given, why, meant, line->command);
	return say(line, "%s: %s: see %s --help", is_letter ? letter : given,
		why, line->command);
}

static const char *apply(struct command_line *line, int i)
{
	const char *value = line->options[i].argument ? optarg : NULL;
	const char *why = line->apply(line->closure, i, value);

	if (!why)
		return NULL;
	return say(line, "--%s%s%s: %s", line->options[i].name,
		value ? "=" : "", value ? value : "", why);
}

const char *command_line_read(struct command_line *line, int argc, char **argv)
{
	struct tables tables = {0};
	const char *wrong = NULL;
	int value;

	fill(&tables, line);
	opterr = 0;
	while (!wrong && (value = getopt_long(argc, argv, tables.shorts,
				  tables.longs, NULL)) != -1) {
		int i = find(line, value);

		wrong = i == WRONG ? complain(line, argv[optind - 1], value)
				   : apply(line, i);
	}
	line->rest = argv + optind;
	line->rest_count = (size_t)(argc - optind);
	return wrong;
}

/* `--name=ARGUMENT` or `--name[=ARGUMENT]` */
static void put_name(
	const struct command_option *option, char *buffer, size_t size)
{
	bool optional = is_optional(option);

	snprintf(buffer, size, "--%s%s%s", option->name,
		optional	   ? "[="
		: option->argument ? "="
				   : "",
		option->argument ? option->argument + optional : "");
}

static int widest(const struct command_option *options, size_t count)
{
	char name[64];
	size_t most = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		put_name(&options[i], name, sizeof(name));
		most = strlen(name) > most ? strlen(name) : most;
	}
	return (int)most;
}

size_t command_line_help(const struct command_option *options, size_t count,
	char *buffer, size_t size)
{
	int width = widest(options, count);
	size_t used = 0;
	size_t i;

	*buffer = '\0';
	for (i = 0; i < count && used < size; i++) {
		char letter[] = {'-', options[i].letter, ',', '\0'};
		const char *variable = options[i].variable;
		char name[64];

		put_name(&options[i], name, sizeof(name));
		used += (size_t)snprintf(buffer + used, size - used,
			"  %3s %-*s  %s%s%s%s\n",
			options[i].letter ? letter : "", width, name,
			options[i].help, variable ? " [" : "",
			variable ? variable : "", variable ? "]" : "");
	}
	return used < size ? used : size - 1;
}

#define VALUE_MOST (1u << 30)

const char *command_line_size(uint64_t *bytes, const char *text)
{
	static const char units[] = "KMG";
	char *end;
	unsigned long long size = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;

	if (!isdigit((unsigned char)*text) || size == 0 || size > VALUE_MOST ||
		(*end && (!unit || end[1])))
		return "no such size: give a number, and K, M or G behind it";
	*bytes = (uint64_t)size << (unit ? 10 * (unit - units + 1) : 0);
	return NULL;
}

const char *command_line_seconds(
	uint64_t *seconds, const char *text, unsigned least)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || value < least ||
		value > VALUE_MOST)
		return "no such time: give a number of seconds";
	*seconds = value;
	return NULL;
}
