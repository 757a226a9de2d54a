/*
 * The command line of binlog-top, as top_options.def has it.  Called by main
 * once; prints nothing.
 */
#ifndef TOOLS_TOP_TOP_OPTIONS_H
#define TOOLS_TOP_TOP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/command_line.h"
#include "tools/top/top_settings.h"

struct top_options {
	struct top_settings settings;
	bool help;
	bool version;
	char problem[COMMAND_LINE_PROBLEM_BYTES];
};

/* False: `problem` says what is wrong.  The strings of argv stay the caller's;
 * their order may change. */
bool top_options_parse(struct top_options *options, int argc, char **argv);

/* One line for each option into buffer, cut off when they do not fit. */
void top_options_help(char *buffer, size_t size);

#endif
