/*
 * The command line of binlog-pack, as pack_options.def has it.  Called by main
 * once; prints nothing.
 */
#ifndef TOOLS_PACK_PACK_OPTIONS_H
#define TOOLS_PACK_PACK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/command_line.h"
#include "symbolizer/symbolizer.h"

#define PACK_DEBUG_DIRECTORIES_MAX 32u

enum pack_options_action {
	PACK_OPTIONS_PACK,
	PACK_OPTIONS_HELP,
	PACK_OPTIONS_VERSION,
	PACK_OPTIONS_WRONG /* `problem` says what */
};

struct pack_command {
	const char *output;
	bool force;
	bool plain;
	bool symbols; /* names, too, of files that are found by: */
	struct symbolizer_options files;
	const char *debug_directories[PACK_DEBUG_DIRECTORIES_MAX + 1];
	size_t debug_directory_count;
	bool quiet;
	bool help;
	bool version;
	int level;	    /* 0: the packer's choice */
	const char *follow; /* null: captures that have ended are packed */
	uint64_t rotate_bytes;
	uint64_t rotate_seconds;
	char *const *paths;
	size_t path_count;
	char problem[COMMAND_LINE_PROBLEM_BYTES]; /* what: why: what you can do
						   */
};

/* The strings of argv stay the caller's; their order may change. */
enum pack_options_action pack_options_parse(
	struct pack_command *command, int argc, char **argv);

/* One line for each option into buffer, cut off when they do not fit. */
void pack_options_help(char *buffer, size_t size);

#endif
