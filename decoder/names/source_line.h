/*
 * The line of source text that a message was printed by.  Asked by the styles
 * when source lines are wanted.  Promises to read regular files of bounded
 * size only, each once, and to say nothing where there is none.
 */
#ifndef DECODER_SOURCE_LINE_H
#define DECODER_SOURCE_LINE_H

#include "base/render_buffer.h"
#include "decoder/names/locations.h"

struct source_line;

/* Both stay the caller's.  Null: out of memory. */
struct source_line *source_line_new(
	struct locations *locations, const struct symbolizer_options *options);

/*
 * Appends "    FILE:LINE: TEXT", escaped and cut off where it is long, for the
 * call itself, or that of the function which takes the arguments for it;
 * nothing if the text is not here.
 */
void source_line_put(struct source_line *source, const struct message *message,
	struct render_buffer *out);

/* Null is fine. */
void source_line_free(struct source_line *source);

#endif
