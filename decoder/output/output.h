/*
 * Where the text goes: a descriptor behind a large buffer.  Styles put text
 * straight into `text` and call output_settle() after each message, or after
 * each line if lines are chosen or turned round.  The first failure sticks;
 * from then on text is thrown away.
 */
#ifndef DECODER_OUTPUT_H
#define DECODER_OUTPUT_H

#include <stdbool.h>

#include "base/render_buffer.h"
#include "decoder/output/last_lines.h"
#include "decoder/query/lines_around.h"

#define OUTPUT_BUFFER_BYTES ((size_t)1 << 18)

/* In place of a descriptor: the text is not written, and stays there. */
#define OUTPUT_KEPT (-2)

struct output {
	int fd;
	int failed;	   /* errno of the first write that failed, or 0 */
	const char *where; /* it failed; null: standard output */
	unsigned width;	   /* columns of the terminal; 0: it is for none */
	bool wrote;	   /* anything */
	bool headed;	   /* what comes before all lines was written */
	char problem[256]; /* the whole sentence; empty: the system's reason */
	struct last_lines *lines;    /* null: lines are shown as they come */
	struct lines_around *around; /* borrowed; null: all lines are shown */
	struct render_buffer text;
	struct render_buffer chosen; /* lines, where they are */
};

/* Whether lines are taken one by one. */
static inline bool output_takes_lines(const struct output *output)
{
	return output->lines || output->around;
}

/* The text is one line, with all that stands below it. */
void output_take_line(struct output *output);

/* A line that is to be written, whatever `lines` and `around` say. */
void output_put_chosen(struct output *output, const char *line, size_t bytes);

/* Writes everything out, but lines that have to wait for the end. */
void output_flush(struct output *output);

/* Writes what there is before all lines, once. */
void output_put_first(struct output *output);

/* Lines wait no longer: those that did are written. */
void output_end_waiting(struct output *output);

/* Writes all, also lines that have waited, and frees what the output owns. */
void output_end(struct output *output);

/* Writes when enough has been collected. */
static inline void output_settle(struct output *output)
{
	if (output_takes_lines(output))
		output_take_line(output);
	else if (output->text.length >= OUTPUT_BUFFER_BYTES)
		output_flush(output);
}

#endif
