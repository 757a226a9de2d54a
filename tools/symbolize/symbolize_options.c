#include "tools/symbolize/symbolize_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command_line.h"
#include "base/limits.h"

enum option_number {
#define OPTION(name, text, letter, argument, help) NUMBER_##name,
#include "tools/symbolize/symbolize_options.def"
#undef OPTION
};

static const struct command_option descriptions[] = {
#define OPTION(name, text, letter, argument, help)                             \
	[NUMBER_##name] = {text, letter, argument, help, NULL},
#include "tools/symbolize/symbolize_options.def"
#undef OPTION
};

#define OPTIONS (sizeof(descriptions) / sizeof(descriptions[0]))

void symbolize_options_help(char *buffer, size_t size)
{
	command_line_help(descriptions, OPTIONS, buffer, size);
}

/* Null, or what is wrong. */
static const char *append(struct symbolize_list *list, const char *value,
	const char *const **shown)
{
	const char **items = reallocarray(
		list->items, list->count + 2, sizeof(*list->items));

	if (!items)
		return "out of memory";
	items[list->count++] = value;
	items[list->count] = NULL;
	list->items = items;
	*shown = items;
	return NULL;
}

/* Likewise. */
static const char *add_path_map(
	struct symbolize_options *options, const char *map)
{
	if (*map == '=' || !strchr(map, '='))
		return "not FROM=TO: give two paths with = between";
	return append(&options->path_maps, map, &options->symbols.path_maps);
}

/* Likewise. */
static const char *allow_downloads(struct symbolizer_options *symbols)
{
	if (!getenv("DEBUGINFOD_URLS"))
		return "DEBUGINFOD_URLS is not set: set it to the addresses of "
		       "servers";
	symbols->debuginfod = true;
	return NULL;
}

/* Likewise. */
static const char *apply(void *closure, int option, const char *value)
{
	struct symbolize_options *options = closure;
	struct symbolizer_options *symbols = &options->symbols;

	switch (option) {
	case NUMBER_PATH_MAP:
		return add_path_map(options, value);
	case NUMBER_SYSROOT:
		symbols->sysroot = value;
		break;
	case NUMBER_DIRECTORY:
		return append(&options->directories, value,
			&symbols->debug_directories);
	case NUMBER_FORCE:
		symbols->force = true;
		break;
	case NUMBER_DEBUGINFOD:
		return allow_downloads(symbols);
	case NUMBER_MANGLED:
		symbols->mangled = true;
		break;
	case NUMBER_COLUMNS:
		options->columns = true;
		break;
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

bool symbolize_options_read(
	struct symbolize_options *options, int argc, char **argv)
{
	struct command_line line = {.command = "binlog-symbolize",
		.options = descriptions,
		.count = OPTIONS,
		.apply = apply,
		.closure = options};
	bool good = !command_line_read(&line, argc, argv);

	options->files = line.rest;
	memcpy(options->problem, line.problem, sizeof(line.problem));
	return good;
}

void symbolize_options_free(struct symbolize_options *options)
{
	free(options->directories.items);
	free(options->path_maps.items);
}
