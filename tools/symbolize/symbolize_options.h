/*
 * The command line of binlog-symbolize, as symbolize_options.def has it.
 * Called by main once; prints nothing.
 */
#ifndef TOOLS_SYMBOLIZE_SYMBOLIZE_OPTIONS_H
#define TOOLS_SYMBOLIZE_SYMBOLIZE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/command_line.h"
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
	char **files; /* the arguments behind the options; ends with null */
	char problem[COMMAND_LINE_PROBLEM_BYTES]; /* what: why: what to do */
};

/*
 * Fills options that are all zeros; the strings stay those of argv, whose
 * order may change.  False when something is wrong, and `problem` says
 * what; either way symbolize_options_free() frees the lists.
 */
bool symbolize_options_read(
	struct symbolize_options *options, int argc, char **argv);
void symbolize_options_free(struct symbolize_options *options);

/* One line for each option into buffer, cut off when they do not fit. */
void symbolize_options_help(char *buffer, size_t size);

#endif
