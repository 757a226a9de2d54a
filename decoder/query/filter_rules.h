/*
 * What the command line asks for: who, when and what is to be shown.  Filled
 * by the options, read by the filters.  Rules of one kind add up, those of
 * different kinds must all hold.
 */
#ifndef DECODER_FILTER_RULES_H
#define DECODER_FILTER_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/query/expression.h"
#include "decoder/query/grep.h"

/* Of one kind. */
#define FILTER_RULES_MAX 32
#define FILTER_GLOBS_MAX 64

struct category;
struct lines_around;
struct locations;
struct rules;

struct filter_texts {
	const char *texts[FILTER_RULES_MAX];
	size_t count;
};

struct filter_numbers {
	uint32_t numbers[FILTER_RULES_MAX];
	size_t count;
};

/* Files that text went to: see rules/path_glob.h. */
struct filter_glob {
	const char *text;
	size_t length;
	char *real; /* the same without symbolic links, or null */
};

/* One that is given as a name alone is asked for in any directory. */
struct filter_file {
	const char *glob;
	size_t length;
	uint32_t line; /* 0: any */
};

struct filter_files {
	struct filter_file all[FILTER_RULES_MAX];
	size_t count;
};

/* All zeros asks for everything. */
struct filter_rules {
	unsigned number;	/* of the output, from 0: see outputs.h */
	const char *since_text; /* null: since ever */
	const char *until_text;
	uint64_t since; /* nanoseconds since 1970 */
	uint64_t until;
	bool timed;
	uint32_t streams; /* BINLOG_STREAM_..., 0: all */
	struct filter_glob globs[FILTER_GLOBS_MAX]; /* any of these files */
	size_t glob_count;
	bool about_threads; /* there is one of the next four */
	struct filter_numbers pids;
	struct filter_numbers tids;
	struct filter_numbers coroutines;
	struct filter_texts threads; /* globs, and so are these */
	struct filter_texts formats;
	struct filter_texts functions;
	struct filter_texts callers; /* functions of the program */
	struct filter_texts modules;
	struct filter_texts categories;
	struct category *category; /* for these */
	struct filter_files files; /* of sources */
	uint16_t levels;	   /* a bit for each; 0: not asked for */
	struct expression *expressions[FILTER_RULES_MAX];
	size_t expression_count;
	struct grep *greps[FILTER_RULES_MAX];
	size_t grep_count;
	struct lines_around *around; /* null: not asked for */
	struct locations *locations; /* for callers and files; borrowed */
	bool named;    /* what pointers point to is in the texts */
	bool reworded; /* the texts are not as their formats say */
	char problem[256];
};

/*
 * Each takes one value of an option, whose text stays the caller's, and gives
 * null, or what is wrong with it: good until the next call.
 */
const char *filter_rules_add_number(
	struct filter_numbers *numbers, const char *value);
/* Streams with commas between them: stdout, stderr, syslog, file:GLOB. */
const char *filter_rules_add_streams(
	struct filter_rules *rules, const char *list);
const char *filter_rules_add_text(
	struct filter_texts *texts, const char *value);
const char *filter_rules_add_file(
	struct filter_rules *rules, const char *value);
const char *filter_rules_add_levels(
	struct filter_rules *rules, const char *value);
const char *filter_rules_add_expression(
	struct filter_rules *rules, const char *value);
const char *filter_rules_add_grep(
	struct filter_rules *rules, const char *value);

/*
 * To be called when all values are there, and it is known whether dates are in
 * UTC.  Null, or what is wrong, with *option.
 */
const char *filter_rules_finish(
	struct filter_rules *rules, bool utc, const char **option);

/* Of categories that are asked for: these rules say them; null: those that the
 * messages were recorded under.  False: out of memory. */
bool filter_rules_use_categories(
	struct filter_rules *rules, const struct rules *given);

/* Whether there are rules about what is said, not only of who and when. */
bool filter_rules_ask_for_text(const struct filter_rules *rules);

/* Whether some of them need `locations` for it, which somebody has to set. */
bool filter_rules_ask_for_locations(const struct filter_rules *rules);

/* Frees what the rules own; they are all zeros again. */
void filter_rules_free(struct filter_rules *rules);

#endif
