#include "decoder/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/last_lines.h"
#include "decoder/stream_list.h"

#define LONG_ONLY 256 /* getopt's value of an option without a letter */

enum option_number {
#define OPTION(name, text, letter, argument, key, help) NUMBER_##name,
#include "decoder/options.def"
#undef OPTION
};

static const struct {
	const char *text;
	char letter;
	const char *argument;
	const char *key; /* null: of the command line alone */
	const char *help;
} descriptions[] = {
#define OPTION(name, text, letter, argument, key, help)                        \
	[NUMBER_##name] = {text, letter, argument, key, help},
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

/* Likewise: how it is shown. */
static const char *apply_to_look(
	struct options *options, int option, const char *value)
{
	uint32_t depth;

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
		if (!parse_number(value, &options->lines))
			return "not a number of lines: give digits";
		break;
	case NUMBER_PROCESSES:
		options->style = "processes";
		break;
	case NUMBER_RATES:
		options->style = "rates";
		break;
	default:
		return apply_to_rules(options, option, value);
	}
	return NULL;
}

/* Of one that is only there or not.  Null: it is no such. */
static bool *flag_of(struct options *options, int option)
{
	switch (option) {
	case NUMBER_WRITTEN:
		return &options->as_written;
	case NUMBER_STACKS:
		return &options->stacks;
	case NUMBER_SOURCE:
		return &options->source;
	case NUMBER_WHERE:
		return &options->where;
	case NUMBER_POINTERS:
		return &options->pointers;
	case NUMBER_REVERSE:
		return &options->reverse;
	case NUMBER_INDEX:
		return &options->index;
	case NUMBER_RECOVER:
		return &options->recover;
	case NUMBER_ALL:
		return &options->all;
	case NUMBER_UTC:
		return &options->utc;
	case NUMBER_QUIET:
		return &options->quiet;
	default:
		return NULL;
	}
}

/* Likewise. */
static const char *apply(struct options *options, int option, const char *value)
{
	bool *flag = flag_of(options, option);

	if (option == NUMBER_STREAM)
		return stream_list_add(options, value);
	if (option == NUMBER_CONFIG)
		options->config = value;
	else if (flag)
		*flag = true;
	else
		return apply_to_look(options, option, value);
	return NULL;
}

static const char *set_flag(bool *flag, const char *value)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return "neither yes nor no: give one of them";
	*flag = *value == 'y';
	return NULL;
}

const char *options_set(
	struct options *options, const char *key, const char *value)
{
	bool *flag;
	int i;

	for (i = 0; i < (int)OPTIONS; i++)
		if (descriptions[i].key &&
			strcmp(descriptions[i].key, key) == 0)
			break;
	if (i == (int)OPTIONS)
		return "no such key in a section [output]: see "
		       "binlog-show(1)";
	flag = flag_of(options, i);
	return flag ? set_flag(flag, value) : apply(options, i, value);
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

/* Null, or what is wrong with *option: of those for lines. */
static const char *check_lines(
	const struct options *options, const char **option)
{
	bool line = strcmp(options->style, "line") == 0;
	bool timeline = strcmp(options->style, "timeline") == 0;

	*option = "--columns";
	if (options->columns.count > 0 && !line && !timeline)
		return "lines have them: give --output=timeline, or leave "
		       "--output out";
	*option = "--where";
	if (options->where && (timeline || options->columns.count > 0))
		return "it is a column of its own: name it in --columns";
	*option = options->reverse ? "--reverse" : "--lines";
	if ((options->reverse || options->lines != LAST_LINES_ALL) &&
		(options->as_written ||
			!(line || timeline ||
				strcmp(options->style, "raw") == 0)))
		return "what is shown is not lines: leave it out";
	return NULL;
}

/* Likewise. */
static const char *check_bytes(
	const struct options *options, const char **option)
{
	*option = "--as-written";
	if (options->as_written && strcmp(options->style, "raw") != 0)
		return "orders the bytes of --raw: give both";
	if (options->as_written && filter_rules_ask_for_text(&options->rules))
		return "restores files, --grep and the like choose lines: "
		       "leave one out";
	return NULL;
}

bool options_fit(struct options *options)
{
	const char *option;
	const char *wrong =
		filter_rules_finish(&options->rules, options->utc, &option);

	if (!wrong)
		wrong = check_bytes(options, &option);
	if (!wrong)
		wrong = check_lines(options, &option);
	if (wrong)
		complain(options, option, wrong);
	options->rules.named = options->pointers;
	options->rules.reworded = strcmp(options->style, "timeline") == 0;
	return !wrong;
}

static enum options_action check(struct options *options)
{
	const char *other = options->index     ? "--index"
			    : options->recover ? "--recover"
					       : NULL;

	if (strcmp(options->style, "help") == 0)
		return OPTIONS_STYLES;
	if (options->columns.help)
		return OPTIONS_COLUMNS;
	if (!options_fit(options))
		return OPTIONS_WRONG;
	if (other && (options->config || options->reverse ||
			     options->lines != LAST_LINES_ALL ||
			     options->columns.count > 0))
		return complain(options, other,
			"shows no messages: leave out --config, --columns, "
			"--lines and --reverse");
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

	*options = (struct options){
		.style = "line",
		.depth = SIZE_MAX,
		.lines = LAST_LINES_ALL,
	};
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
