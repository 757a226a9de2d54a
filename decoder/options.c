#include "decoder/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/layout.h"
#include "record/path_glob.h"

#define LONG_ONLY 256 /* getopt's value of an option without a letter */

enum option_number {
#define OPTION(name, text, letter, argument, help) NUMBER_##name,
#include "decoder/options.def"
#undef OPTION
};

static const struct {
	const char *text;
	char letter;
	const char *argument;
	const char *help;
} descriptions[] = {
#define OPTION(name, text, letter, argument, help)                             \
	[NUMBER_##name] = {text, letter, argument, help},
#include "decoder/options.def"
#undef OPTION
};

#define OPTIONS (sizeof(descriptions) / sizeof(descriptions[0]))

static void fill_getopt(struct option *longs, char *shorts)
{
	size_t i;

	*shorts++ = ':';
	for (i = 0; i < OPTIONS; i++) {
		longs[i] = (struct option){descriptions[i].text,
			descriptions[i].argument ? required_argument
						 : no_argument,
			NULL, LONG_ONLY + (int)i};
		if (!descriptions[i].letter)
			continue;
		*shorts++ = descriptions[i].letter;
		if (descriptions[i].argument)
			*shorts++ = ':';
	}
	longs[OPTIONS] = (struct option){0};
	*shorts = '\0';
}

/* An enum option_number, or -1. */
static int option_of(int value)
{
	size_t i;

	if (value >= LONG_ONLY)
		return value - LONG_ONLY;
	for (i = 0; i < OPTIONS; i++)
		if (descriptions[i].letter == value)
			return (int)i;
	return -1;
}

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
	struct options *options, const char *glob, size_t length)
{
	struct options_glob *added = &options->globs[options->glob_count];

	if (length == 0)
		return "no file is named: give file:GLOB";
	if (options->glob_count == OPTIONS_GLOBS_MAX)
		return "more globs than can be kept: use one that matches more";
	while (length > 2 && memcmp(glob, "./", 2) == 0) {
		glob += 2;
		length -= 2;
	}
	added->text = glob;
	added->length = length;
	added->real = follow_links(glob, length);
	options->glob_count++;
	options->streams |= BINLOG_STREAM_FILE;
	return NULL;
}

static const char *parse_stream(
	struct options *options, const char *name, size_t length)
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
		options->streams |= streams[i].flag;
		return NULL;
	}
	if (length >= 5 && memcmp(name, "file:", 5) == 0)
		return add_glob(options, name + 5, length - 5);
	return "no such stream: give stdout, stderr, syslog or file:GLOB";
}

/* Null, or what is wrong. */
static const char *parse_streams(struct options *options, const char *list)
{
	const char *wrong;

	for (;;) {
		size_t length = strcspn(list, ",");

		wrong = parse_stream(options, list, length);
		if (wrong || !list[length])
			return wrong;
		list += length + 1;
	}
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
	case NUMBER_PRIORITY:
		return filter_rules_add_levels(rules, value);
	case NUMBER_ARGUMENT:
		return filter_rules_add_expression(rules, value);
	default:
		return apply_to_symbols(options, option, value);
	}
	return NULL;
}

/* Likewise. */
static const char *apply(struct options *options, int option, const char *value)
{
	uint32_t depth;

	switch (option) {
	case NUMBER_RAW:
		options->style = "raw";
		break;
	case NUMBER_WRITTEN:
		options->as_written = true;
		break;
	case NUMBER_STREAM:
		return parse_streams(options, value);
	case NUMBER_STACKS:
		options->stacks = true;
		break;
	case NUMBER_DEPTH:
		if (!parse_number(value, &depth))
			return "not a number of frames: give digits";
		options->depth = depth;
		break;
	case NUMBER_SOURCE:
		options->source = true;
		break;
	case NUMBER_WHERE:
		options->where = true;
		break;
	case NUMBER_POINTERS:
		options->pointers = true;
		break;
	case NUMBER_OUTPUT:
		options->style = value;
		break;
	case NUMBER_PROCESSES:
		options->style = "processes";
		break;
	case NUMBER_INDEX:
		options->index = true;
		break;
	case NUMBER_RECOVER:
		options->recover = true;
		break;
	case NUMBER_UTC:
		options->utc = true;
		break;
	case NUMBER_QUIET:
		options->quiet = true;
		break;
	default:
		return apply_to_rules(options, option, value);
	}
	return NULL;
}

static enum options_action complain(
	struct options *options, const char *what, const char *why)
{
	snprintf(options->problem, sizeof(options->problem), "%s: %s", what,
		why);
	return OPTIONS_WRONG;
}

/* getopt has the letter in optopt, or for a long one neither 0 nor a letter. */
static enum options_action complain_of_option(
	struct options *options, const char *argument, int value)
{
	const char letter[] = {'-', (char)optopt, '\0'};
	bool is_letter = optopt > 0 && optopt < LONG_ONLY;

	return complain(options, is_letter ? letter : argument,
		value == ':' ? "its argument is missing: see --help"
			     : "no such option: see --help");
}

static enum options_action check(struct options *options)
{
	const char *option;
	const char *wrong =
		filter_rules_finish(&options->rules, options->utc, &option);

	if (strcmp(options->style, "help") == 0)
		return OPTIONS_STYLES;
	if (options->as_written && strcmp(options->style, "raw") != 0)
		return complain(options, "--as-written",
			"orders the bytes of --raw: give both");
	if (wrong)
		return complain(options, option, wrong);
	if (options->as_written && filter_rules_ask_for_text(&options->rules))
		return complain(options, "--as-written",
			"restores files, --grep and the like choose lines: "
			"leave one out");
	options->rules.named = options->pointers;
	if (options->index && options->path_count == 0)
		return complain(options, "--index",
			"no program is named: give its path");
	return OPTIONS_SHOW;
}

enum options_action options_parse(
	struct options *options, int argc, char **argv)
{
	struct option longs[OPTIONS + 1];
	char shorts[2 * OPTIONS + 2];
	const char *wrong;
	int value;

	*options = (struct options){.style = "line", .depth = SIZE_MAX};
	fill_getopt(longs, shorts);
	opterr = 0;
	while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		int option = option_of(value);

		if (option < 0)
			return complain_of_option(
				options, argv[optind - 1], value);
		if (option == NUMBER_HELP)
			return OPTIONS_HELP;
		if (option == NUMBER_VERSION)
			return OPTIONS_VERSION;
		wrong = apply(options, option, optarg);
		if (wrong)
			return complain(options,
				optarg ? optarg : argv[optind - 1], wrong);
	}
	options->paths = argv + optind;
	options->path_count = (size_t)(argc - optind);
	return check(options);
}

void options_help(char *buffer, size_t size)
{
	size_t used = 0;
	size_t i;

	*buffer = '\0';
	for (i = 0; i < OPTIONS && used < size; i++) {
		char name[32];
		char letter[] = "-x,";

		letter[1] = descriptions[i].letter;
		snprintf(name, sizeof(name), "--%s%s%s", descriptions[i].text,
			descriptions[i].argument ? "=" : "",
			descriptions[i].argument ? descriptions[i].argument
						 : "");
		used += (size_t)snprintf(buffer + used, size - used,
			"  %-3s %-18s %s\n",
			descriptions[i].letter ? letter : "", name,
			descriptions[i].help);
	}
}
