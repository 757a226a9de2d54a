/*
 * What the ids in one writer's records mean: its strings, streams and
 * contexts.  Filled by the writer's stream from control records, which come
 * before the first use of what they define.  Owns copies of everything, or
 * shares them with other writers of the capture, so definitions outlive the
 * block that they were read from.
 */
#ifndef DECODER_DEFINITION_H
#define DECODER_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/id_map.h"
#include "base/pool.h"
#include "base/program.h"
#include "record/format.h"

struct coverage_jump;
struct fields;
struct message_site;
struct filter_site;
struct render_plan;
struct run_context;
struct span_site;
struct stack_text;
struct statement_choices;

struct definition_string {
	const char *bytes; /* a NUL follows them; null: they are lost */
	size_t length;
	uint64_t address; /* where it was in the process, or 0 */
	uint64_t at;	  /* of its record in the capture; 0: not known */
};

struct definition_stream {
	uint32_t id;
	uint32_t flags; /* BINLOG_STREAM_... */
	int32_t fd;
	uint32_t mode;
	uint64_t device;
	uint64_t inode;
	uint64_t file; /* 0: a descriptor */
	uint64_t position;
	uint16_t buffering; /* BINLOG_BUFFER_... */
	uint16_t order;	    /* of flushing, the highest first */
	uint32_t buffer_bytes;
	uint32_t description;
	const char *path; /* ends in NUL; null: not known */
	uint64_t at;	  /* of its record in the capture; 0: not known */
};

/* What a context has that statements.c has made: format and arguments of it
 * are those of a statement, and what was put around that as a text of its own.
 */
struct definition_statement {
	const struct definition_string *format; /* as in the program */
	const struct definition_string *inner; /* as printf takes it, without */
					       /* what was put around it */
	size_t skipped;	  /* frames before `frames`, of functions that it was */
			  /* handed through */
	uint8_t newlines; /* bytes of them at the end of it all */
	bool prefix;	  /* the first argument is what is before it, */
	bool tail;	  /* the last one what is behind */
	bool sure;
	bool several; /* it may as well be another one */
	/* The last frame is its call, which the text alone has told: no call of
	 * the stack leads to it. */
	bool beside;
};

struct definition_context {
	uint32_t id;
	uint16_t text;	 /* enum binlog_text */
	uint16_t flags;	 /* BINLOG_CONTEXT_... */
	bool has_format; /* its id is not 0; `format` may be missing still */
	bool restored;	 /* if that was possible: see restore.h */
	bool cut;	 /* a limit, a text of it; that was told */
	uint8_t level;	 /* for message_level.c, 1 more; 0: not yet */
	uint8_t says;	 /* enum definition_says; 0: not yet */
	bool usable;	 /* all kinds of arguments are known */
	const struct definition_string *format;	  /* null: not defined */
	const struct definition_string *function; /* null: not defined */
	const struct definition_stream *stream;	  /* null: not defined */
	const uint64_t *frames; /* return addresses, innermost first */
	const uint8_t *kinds;	/* enum binlog_argument */
	uint32_t depth;
	uint32_t arguments;
	uint32_t fixed_bytes;  /* of all arguments; 0 when that varies */
	uint32_t modules;      /* that the process had at the definition */
	uint64_t files_wanted; /* for filter.c, by output: asked, and yes */
	uint64_t at;	       /* of its record in the capture; 0: not known */
	uint64_t coroutine;    /* that has it now; 0: the thread */
	struct stack_text *stack;   /* resolved, for stack.c; null: not yet */
	struct render_plan *plan;   /* for message.c; null: not yet */
	struct filter_site *filter; /* for filter.c; null: not yet */
	struct fields *fields;	    /* for fields.c; null: not yet */
	struct message_site *site;  /* for message_sites.c; null: not yet */
	/* Nobody asks for two of a union at once; zeros: not yet.  A pointer
	 * more costs a capture of 10,000 threads 7 MB. */
	union {
		uint64_t packed;	 /* for pack.c: its site in a log */
		struct span_site *spans; /* for spans.c */
	};
	union {
		struct run_context *run;     /* for run_diff.c */
		struct coverage_jump *jump;  /* for coverage.c */
		struct fleet_context *fleet; /* for fleet/rows.c */
		struct line_place *place;    /* for show/line_place.c */
	};
	struct statement_choices *statements;	/* for statements.c: not yet */
	struct definition_statement *statement; /* null: its own format is */
};

/* All zeros is an empty table. */
struct definition_table {
	struct id_map strings;
	struct id_map streams;
	struct id_map contexts;
	struct pool pool;
	/* That know what other writers have defined, and outlive the table;
	 * null: there are no others. */
	struct program_table *programs;
	uint64_t at; /* in the capture, of what is added next; 0: not known */
};

/*
 * Each takes a record, the cursor over all of it.  False:
 * the lengths in it do not fit; nothing was defined, but of a string that its
 * bytes are lost.  A later definition of an id replaces an earlier one for
 * records that follow.
 */
bool definition_add_string(
	struct definition_table *table, struct cursor *record);
bool definition_add_stream(
	struct definition_table *table, struct cursor *record);
bool definition_add_context(struct definition_table *table,
	struct cursor *record, size_t modules_known);

/*
 * The same of one of text CREATED, of which a program has few and every thread
 * names one: it has nothing but its frames, and is shared by all writers of the
 * table.
 */
bool definition_add_creation(struct definition_table *table,
	struct cursor *record, const struct program *program,
	struct program_table *programs);

/* Null: not defined. */
static inline struct definition_context *definition_context(
	const struct definition_table *table, uint32_t id)
{
	return id_map_find(&table->contexts, id);
}

static inline const struct definition_string *definition_string(
	const struct definition_table *table, uint32_t id)
{
	return id_map_find(&table->strings, id);
}

/* BINLOG_STREAM_... of the stream that the texts belong to. */
uint32_t definition_context_stream(const struct definition_context *context);

/* Its text is made with a format, whose arguments it has. */
bool definition_is_formatted(const struct definition_context *context);

/* What a call says itself, and what it was given as a text. */
enum definition_says {
	DEFINITION_SAYS = 1, /* something: its format has words */
	DEFINITION_MARKS,    /* hands on a text, with marks or names around */
	DEFINITION_NOTHING,  /* hands on a text: bytes, or `%s` */
};

/* Found once: another part of the program may have made the text. */
enum definition_says definition_says(struct definition_context *context);

/* Letters of a format that only passes a text on. */
#define DEFINITION_LABEL_MAX 16u

/* Likewise, or with few words before it (`error: %s`): whose statement it is
 * can be asked. */
bool definition_passes_text_on(struct definition_context *context);

/* How many of the arguments are not those of the format: see text.def. */
size_t definition_arguments_before(const struct definition_context *context);

/*
 * Whether an argument of the format, counted from 0, is one of the statement,
 * and not what was put around that; *number becomes which one, from 1.
 */
static inline bool definition_is_own_argument(
	const struct definition_context *context, size_t argument,
	size_t *number)
{
	const struct definition_statement *statement = context->statement;
	size_t end = context->arguments - definition_arguments_before(context);
	size_t first = statement ? statement->prefix : 0;

	*number = argument + 1 - first;
	return argument >= first &&
	       (!statement || argument + statement->tail < end);
}

/* Something is not defined that was to be: there was no memory. */
static inline bool definition_table_lacks(const struct definition_table *table)
{
	return table->pool.failed || table->strings.failed ||
	       table->streams.failed || table->contexts.failed;
}

void definition_table_free(struct definition_table *table);

#endif
