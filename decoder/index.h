/*
 * The log statements of a program, read out of its machine code: which
 * function calls which function that prints, with which format, and where in
 * the source.  Called by binlog-show for --index.  Needs nothing but the file;
 * what is not in it is shown as an address or as `?`.
 */
#ifndef DECODER_INDEX_H
#define DECODER_INDEX_H

#include <stdbool.h>

#include "decoder/fired.h"
#include "decoder/output.h"

/* All calls of statements, and those that have led to messages. */
struct index_sum {
	size_t statements;
	size_t fired;
	size_t unknown; /* jumps */
};

/*
 * Puts a line for each statement of the ELF file, by place:
 *
 *	file:line: function: 0xaddress,0xaddress call "text" | "text"
 *
 * and, when `fired` is not null, the number of messages in front of it, or `?`
 * where that cannot be known; adds to *sum.
 *
 * `complaint` gets a sentence with a newline for what could not be done.
 * False: there is no list.
 */
bool index_put(const char *path, const struct symbolizer_options *options,
	const struct fired *fired, struct index_sum *sum, struct output *output,
	struct render_buffer *complaint);

#endif
