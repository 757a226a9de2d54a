/*
 * The command line of binlog-symbolize, as symbolize_options.def has it.
 * Called by main once.  What is wrong with it is said on standard error.
 */
#ifndef TOOLS_SYMBOLIZE_SYMBOLIZE_OPTIONS_H
#define TOOLS_SYMBOLIZE_SYMBOLIZE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "symbolizer/symbolizer.h"

struct symbolize_list {
	const char **items; /* null-terminated, or null */
	size_t count;
};

struct symbolize_options {
	struct symbolizer_options symbols;
	struct symbolize_list directories;
	struct symbolize_list path_maps;
	bool columns;
	bool help;
	bool version;
};

/*
 * Fills options that are all zeros; the strings stay those of argv, whose
 * order may change: the files begin at getopt's optind.  False when something
 * is wrong; either way symbolize_options_free() frees the lists.
 */
bool symbolize_options_read(
	struct symbolize_options *options, int argc, char **argv);
void symbolize_options_free(struct symbolize_options *options);

/* What --help says of the options, on standard output. */
void symbolize_options_help(void);

#endif
