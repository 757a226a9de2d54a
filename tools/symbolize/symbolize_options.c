#include "tools/symbolize/symbolize_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_ONLY 256 /* getopt's value of an option without a letter */

enum option_number {
#define OPTION(name, text, letter, argument, help) NUMBER_##name,
#include "tools/symbolize/symbolize_options.def"
#undef OPTION
};

static const struct {
	const char *text;
	char letter;	      /* 0: none */
	const char *argument; /* null: it takes none */
	const char *help;
} descriptions[] = {
#define OPTION(name, text, letter, argument, help)                             \
	[NUMBER_##name] = {text, letter, argument, help},
#include "tools/symbolize/symbolize_options.def"
#undef OPTION
};

#define OPTIONS (sizeof(descriptions) / sizeof(descriptions[0]))

void symbolize_options_help(void)
{
	size_t i;

	for (i = 0; i < OPTIONS; i++) {
		const char letter[] = {'-', descriptions[i].letter, ',', '\0'};
		const char *argument = descriptions[i].argument;

		printf("  %3s --%s%s%s\n        %s\n",
			descriptions[i].letter ? letter : "",
			descriptions[i].text, argument ? "=" : "",
			argument ? argument : "", descriptions[i].help);
	}
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
static const char *apply(struct symbolize_options *options,
	enum option_number number, const char *value)
{
	struct symbolizer_options *symbols = &options->symbols;

	switch (number) {
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
	case NUMBER_HELP:
		options->help = true;
		break;
	case NUMBER_VERSION:
		options->version = true;
		break;
	}
	return NULL;
}

static void fill_getopt(struct option *longs, char *shorts)
{
	size_t i;

	for (i = 0; i < OPTIONS; i++) {
		longs[i].name = descriptions[i].text;
		longs[i].has_arg = descriptions[i].argument ? required_argument
							    : no_argument;
		longs[i].val = LONG_ONLY + (int)i;
		if (!descriptions[i].letter)
			continue;
		*shorts++ = descriptions[i].letter;
		if (descriptions[i].argument)
			*shorts++ = ':';
	}
	*shorts = '\0';
}

/* OPTIONS: it is none. */
static size_t option_of(int value)
{
	size_t i;

	if (value >= LONG_ONLY)
		return (size_t)value - LONG_ONLY;
	for (i = 0; i < OPTIONS; i++)
		if (descriptions[i].letter && descriptions[i].letter == value)
			break;
	return i;
}

bool symbolize_options_read(
	struct symbolize_options *options, int argc, char **argv)
{
	struct option longs[OPTIONS + 1] = {0};
	char shorts[2 * OPTIONS + 1];
	const char *wrong;
	int value;

	fill_getopt(longs, shorts);
	while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		size_t i = option_of(value);

		if (i == OPTIONS)
			return false;
		wrong = apply(options, (enum option_number)i, optarg);
		if (wrong) {
			fprintf(stderr, "binlog-symbolize: --%s: %s\n",
				descriptions[i].text, wrong);
			return false;
		}
	}
	return true;
}

void symbolize_options_free(struct symbolize_options *options)
{
	free(options->directories.items);
	free(options->path_maps.items);
}
