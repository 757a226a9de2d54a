#include "tools/pack/pack_options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command_line.h"
#include "base/limits.h"

#define LEVEL_MAX 19

enum option_number {
#define OPTION(name, text, letter, argument, help) NUMBER_##name,
#include "tools/pack/pack_options.def"
#undef OPTION
};

static const struct command_option descriptions[] = {
#define OPTION(name, text, letter, argument, help)                             \
	[NUMBER_##name] = {text, letter, argument, help, NULL},
#include "tools/pack/pack_options.def"
#undef OPTION
};

#define OPTIONS (sizeof(descriptions) / sizeof(descriptions[0]))

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
static const char *apply(void *closure, int option, const char *value)
{
	struct pack_command *command = closure;

	switch (option) {
	case NUMBER_HELP:
		command->help = true;
		break;
	case NUMBER_VERSION:
		command->version = true;
		break;
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
	case NUMBER_LIMIT:
		return limits_set(value);
	case NUMBER_NO_LIMITS:
		limits_lift();
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
	struct command_line line = {.command = "binlog-pack",
		.options = descriptions,
		.count = OPTIONS,
		.apply = apply,
		.closure = command};

	*command = (struct pack_command){0};
	if (command_line_read(&line, argc, argv)) {
		memcpy(command->problem, line.problem, sizeof(line.problem));
		return PACK_OPTIONS_WRONG;
	}
	if (command->help || command->version)
		return command->help ? PACK_OPTIONS_HELP : PACK_OPTIONS_VERSION;
	command->paths = line.rest;
	command->path_count = line.rest_count;
	return check(command);
}

void pack_options_help(char *buffer, size_t size)
{
	command_line_help(descriptions, OPTIONS, buffer, size);
}
