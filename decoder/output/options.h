/*
 * The command line of binlog-show, as options.def has it.  Called by main
 * once; prints nothing.
 */
#ifndef DECODER_OPTIONS_H
#define DECODER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/output/columns.h"
#include "decoder/query/filter_rules.h"
#include "decoder/query/span_rule.h"
#include "symbolizer/symbolizer.h"

enum options_action {
	OPTIONS_SHOW,
	OPTIONS_HELP,
	OPTIONS_HELP_ALL,
	OPTIONS_VERSION,
	OPTIONS_STYLES,	 /* list them */
	OPTIONS_COLUMNS, /* likewise */
	OPTIONS_LIMITS,	 /* likewise */
	OPTIONS_WRONG	 /* `problem` says what */
};

enum options_when {
	OPTIONS_WHEN_AUTO,
	OPTIONS_WHEN_ALWAYS,
	OPTIONS_WHEN_NEVER
};

#define OPTIONS_PATHS_MAX 64

/* That of the terminal, if it is one. */
#define OPTIONS_WIDTH_AUTO UINT32_MAX

struct options {
	const char *style;
	struct columns columns;
	uint32_t lines;	    /* the last so many, or LAST_LINES_ALL */
	bool all_lines;	    /* were asked for, so many or not */
	const char *around; /* a pattern, or null */
	uint32_t context;   /* lines before and after each that has it */
	bool has_context;   /* it was given */
	bool follow;
	enum options_when color;
	uint32_t width; /* columns of the terminal it is for; 0: for none */
	bool no_pager;
	bool reverse;
	const char *config; /* null: there is one output */
	const char *to;	    /* it goes to; null: standard output */
	bool as_written;
	bool index; /* paths are of ELF files */
	bool recover;
	bool diff; /* the two paths are compared */
	bool all;  /* of rings */
	bool strict;
	bool stacks;
	bool source;
	bool location;
	enum options_when statements;
	bool bare; /* lines have only what their statements say */
	bool pointers;
	bool utc;
	bool quiet;
	bool list_limits;
	size_t depth;
	struct filter_rules rules;
	const char *report;   /* a style that shows numbers was chosen; null */
	const char *argument; /* of which they are */
	uint32_t rows;	      /* so many of them, or LAST_LINES_ALL */
	uint64_t interval;    /* of --per, nanoseconds; 0: chosen by the data */
	bool json;	      /* numbers are shown in JSON */
	struct span_rules spans;
	uint32_t longest; /* so many of the spans; 0: all, as they end */
	struct symbolizer_options symbols;
	const char *path_maps[OPTIONS_PATHS_MAX + 1];
	size_t path_map_count;
	const char *debug_directories[OPTIONS_PATHS_MAX + 1];
	size_t debug_directory_count;
	const char *executables[OPTIONS_PATHS_MAX + 1];
	size_t executable_count;
	const char *texts[OPTIONS_PATHS_MAX + 1];
	size_t text_count;
	char *const *paths;
	size_t path_count;
	char problem[1024]; /* what: why: what you can do */
};

/*
 * The strings of argv stay the caller's; their order may change.  What is
 * allocated lasts as long as the program.
 */
enum options_action options_parse(
	struct options *options, int argc, char **argv);

/*
 * One line of a section [output]: the key is one of options.def.  Null, or
 * what is wrong, good until the next call.  Strings stay the caller's.
 */
const char *options_set(
	struct options *options, const char *key, const char *value);

/* When all are set: whether they fit together; otherwise see `problem`. */
bool options_fit(struct options *options);

/* One line for each option into buffer, cut off when they do not fit. */
void options_help(char *buffer, size_t size);

/* Likewise for those that are used most, each within 80 columns. */
void options_help_most_used(char *buffer, size_t size);

/*
 * Takes an enum option_number.  False: it is none of these; else *wrong is
 * null, or what is wrong with the value.
 */
bool report_options_apply(struct options *options, int option,
	const char *value, const char **wrong);

#endif
