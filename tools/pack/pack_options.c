#include "tools/pack/pack_options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_ONLY 256 /* getopt's value of an option without a letter */
#define LEVEL_MAX 19

enum option_number {
#define OPTION(name, text, letter, argument, help) NUMBER_##name,
#include "tools/pack/pack_options.def"
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
#include "tools/pack/pack_options.def"
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

/* Null, or what is wrong. */
static const char *parse_level(struct pack_command *command, const char *text)
{
	char *end;
	long level = strtol(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || level < 1 ||
		level > LEVEL_MAX)
		return "no such level: give a number from 1 to 19";
	command->level = (int)level;
	return NULL;
}

/* Likewise. */
static const char *add_debug_directory(
	struct pack_command *command, const char *path)
{
	if (command->debug_directory_count == PACK_DEBUG_DIRECTORIES_MAX)
		return "too many directories: give fewer";
	command->debug_directories[command->debug_directory_count++] = path;
	command->files.debug_directories = command->debug_directories;
	return NULL;
}

/* Likewise. */
static const char *parse_size(uint64_t *bytes, const char *text)
{
	static const char units[] = "KMG";
	unsigned long long size;
	const char *unit;
	char *end;

	size = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (!isdigit((unsigned char)*text) || size == 0 || size > 1u << 30 ||
		(*end && (!unit || end[1])))
		return "no such size: give a number, and K, M or G behind it";
	*bytes = (uint64_t)size << (unit ? 10 * (unit - units + 1) : 0);
	return NULL;
}

/* Likewise. */
static const char *parse_seconds(uint64_t *seconds, const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || value == 0 ||
		value > 1u << 30)
		return "no such time: give a number of seconds";
	*seconds = value;
	return NULL;
}

/* Likewise. */
static const char *apply(
	struct pack_command *command, int option, const char *value)
{
	switch (option) {
	case NUMBER_OUTPUT:
		command->output = value;
		break;
	case NUMBER_FORCE:
		command->force = true;
		break;
	case NUMBER_PLAIN:
		command->plain = true;
		break;
	case NUMBER_SYMBOLS:
		command->symbols = true;
		break;
	case NUMBER_DEBUG_DIR:
		return add_debug_directory(command, value);
	case NUMBER_SYSROOT:
		command->files.sysroot = value;
		break;
	case NUMBER_DEBUGINFOD:
		command->files.debuginfod = true;
		break;
	case NUMBER_LEVEL:
		return parse_level(command, value);
	case NUMBER_FOLLOW:
		command->follow = value;
		break;
	case NUMBER_ROTATE_SIZE:
		return parse_size(&command->rotate_bytes, value);
	case NUMBER_ROTATE_AGE:
		return parse_seconds(&command->rotate_seconds, value);
	case NUMBER_QUIET:
		command->quiet = true;
		break;
	}
	return NULL;
}

static enum pack_options_action complain(
	struct pack_command *command, const char *what, const char *why)
{
	snprintf(command->problem, sizeof(command->problem), "%s: %s", what,
		why);
	return PACK_OPTIONS_WRONG;
}

/* getopt has the letter in optopt, or for a long one neither 0 nor a letter. */
static enum pack_options_action complain_of_option(
	struct pack_command *command, const char *argument, int value)
{
	const char letter[] = {'-', (char)optopt, '\0'};
	bool is_letter = optopt > 0 && optopt < LONG_ONLY;

	return complain(command, is_letter ? letter : argument,
		value == ':' ? "its argument is missing: see --help"
			     : "no such option: see --help");
}

static enum pack_options_action check(struct pack_command *command)
{
	bool rotates = command->rotate_bytes + command->rotate_seconds > 0;

	if (command->follow && command->path_count > 0)
		return complain(command, command->paths[0],
			"with --follow there is one directory only: leave it "
			"away");
	if (command->follow && command->output &&
		(strcmp(command->output, "-") == 0 || command->force))
		return complain(command, command->output,
			"--follow goes on with a log that is there: give a "
			"name, without --force");
	if (rotates && !command->follow)
		return complain(command, "--rotate-size, --rotate-age",
			"only what is followed is rotated: give --follow=DIR");
	if (command->path_count == 0 && !command->follow)
		return complain(command, "no capture",
			"nothing to pack: give captures or directories of "
			"them");
	if (!command->output || !*command->output)
		return complain(command, "no log",
			"nowhere to write to: give -o LOG, or -o - for "
			"standard output");
	return PACK_OPTIONS_PACK;
}

enum pack_options_action pack_options_parse(
	struct pack_command *command, int argc, char **argv)
{
	struct option longs[OPTIONS + 1];
	char shorts[2 * OPTIONS + 2];
	const char *wrong;
	int value;

	*command = (struct pack_command){0};
	fill_getopt(longs, shorts);
	opterr = 0;
	while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		int option = option_of(value);

		if (option < 0)
			return complain_of_option(
				command, argv[optind - 1], value);
		if (option == NUMBER_HELP)
			return PACK_OPTIONS_HELP;
		if (option == NUMBER_VERSION)
			return PACK_OPTIONS_VERSION;
		wrong = apply(command, option, optarg);
		if (wrong)
			return complain(command,
				optarg ? optarg : argv[optind - 1], wrong);
	}
	command->paths = argv + optind;
	command->path_count = (size_t)(argc - optind);
	return check(command);
}

void pack_options_help(char *buffer, size_t size)
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
