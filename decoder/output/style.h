/*
 * How messages are shown.  A style is a line in styles.def and a file
 * style_NAME.c that defines its three functions; binlog-show gives it every
 * message in order and asks no questions.
 */
#ifndef DECODER_STYLE_H
#define DECODER_STYLE_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/capture/message.h"
#include "decoder/names/pointers.h"
#include "decoder/names/source_line.h"
#include "decoder/names/stack.h"
#include "decoder/output/options.h"
#include "decoder/output/output.h"
#include "decoder/query/filter.h"
#include "decoder/query/filter_batch.h"

struct line_places;
struct rules;

/* Outlives the style's state. */
struct style_settings {
	const struct options *options;
	struct output *output;
	struct stack *stack;	    /* null: show no stacks */
	struct source_line *source; /* null: show no source lines */
	struct locations
		*locations;	    /* null: names of addresses are not asked */
	struct locations *location; /* null: do not show who prints */
	/* Null: who prints is not shown at the end of lines either. */
	const struct line_places *places;
	struct pointers *pointers; /* null: do not say what they point to */
	bool color;		   /* by priority, see colors.h */
	bool utc;		   /* wall time in UTC, otherwise local time */
	bool bare; /* texts are without what was put before their statements */
	struct recording *const *captures; /* whose messages they are */
	size_t capture_count;
	const struct source *messages; /* where they come from */
	const struct rules *rules;     /* for categories; null: the captures' */
	struct filter_batch *batches;  /* null: all messages are given */
	/* Sentences for standard error, each with a newline, escaped; null:
	 * nowhere. */
	struct render_buffer *remarks;
	bool directory; /* the output is one: see output_directory.h */
};

/* What is asked for; null: everything. */
static inline const struct filter_rules *style_rules(
	const struct style_settings *settings)
{
	return settings->options ? &settings->options->rules : NULL;
}

/* The same for a line_joiner, which is spared rules that no line needs. */
static inline const struct filter_rules *style_lines_rules(
	const struct style_settings *settings)
{
	const struct filter_rules *rules = style_rules(settings);

	return filter_asks_for_lines(rules) ? rules : NULL;
}

enum style_reads {
	STYLE_READS_WANTED, /* messages that are wanted: see filter.h */
	STYLE_READS_LINES,  /* the same, and asks itself what lines say */
	STYLE_READS_ALL,
	STYLE_READS_NOTHING /* but the captures themselves */
};

/* What an output with a path is, and whether it may do without. */
enum style_place {
	STYLE_PLACE_TEXT,
	STYLE_PLACE_BINARY, /* not for terminals */
	STYLE_PLACE_DIRECTORY,
	STYLE_PLACE_SPLIT /* a directory, or text on standard output */
};

/* What it tells apart, where a program has formatted a text itself. */
enum style_of { STYLE_OF_TEXTS, STYLE_OF_STATEMENTS };

/* begin() gives the state that the others take; null: out of memory. */
struct style {
	const char *name;
	const char *what;
	enum style_reads reads;
	enum style_place place;
	enum style_of of;
	void *(*begin)(const struct style_settings *settings);
	void (*message)(void *state, const struct message *message);
	void (*end)(void *state); /* shows what is left and frees the state */
};

#define STYLE(name, reads, place, of, what)                                    \
	void *style_##name##_begin(const struct style_settings *settings);     \
	void style_##name##_message(                                           \
		void *state, const struct message *message);                   \
	void style_##name##_end(void *state);
#include "decoder/output/styles.def"
#undef STYLE

/* All of them; ends with one that has no name. */
extern const struct style style_all[];

/* Those of --raw --as-written and of --columns, which are not in the list. */
extern const struct style style_written;
extern const struct style style_columns;

/* Null: there is none with this name. */
const struct style *style_find(const char *name);

/* Likewise: the one that the options ask for. */
const struct style *style_chosen(const struct options *options);

#endif
