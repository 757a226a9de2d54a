/*
 * The log statements of a program, read out of its machine code: which
 * function calls which function that prints, with which format, and where in
 * the source.  Called by binlog-show for --index.  Needs nothing but the file;
 * what is not in it is shown as an address or as `?`.
 */
#ifndef DECODER_INDEX_H
#define DECODER_INDEX_H

#include <stdbool.h>

#include "decoder/output/output.h"
#include "decoder/runs/hits.h"

/* All calls of statements, and those that have led to messages. */
struct index_sum {
	size_t statements;
	size_t hits;
	size_t unknown; /* jumps */
};

/*
 * Puts a line for each statement of the ELF file, by place:
 *
 *	file:line: function: 0xaddress,0xaddress call "text" | "text"
 *
 * and, when `hits` is not null, the number of messages in front of it, or `?`
 * where that cannot be known; adds to *sum.
 *
 * `complaint` gets a sentence with a newline for what could not be done.
 * False: there is no list.
 */
bool index_put(const char *path, const struct symbolizer_options *options,
	const struct hits *hits, struct index_sum *sum, struct output *output,
	struct render_buffer *complaint);

/* A statement; strings are valid during the call. */
struct index_statement {
	const char *file; /* null: unknown, as are line and column */
	unsigned line;
	uint64_t address;     /* as in the file, of the first of its copies */
	const char *function; /* that it is in; null: unknown */
	const char *call;     /* that it calls; null: unknown */
	const char *texts;    /* as they are shown */
	uint64_t count;	      /* of its messages */
	bool known;	      /* false: there may have been some */
};

/*
 * Calls back for each statement of a module that was recorded, and is at
 * `path` or where the options say instead, by place.
 * Null, or one sentence that says why there are none; the caller frees it.
 */
char *index_each(const struct program_module *module, const char *path,
	const struct symbolizer_options *options, const struct hits *hits,
	void (*take)(void *closure, const struct index_statement *statement),
	void *closure);

#endif
