/*
 * A text as it would stand in the source of a C program, in quotes.  Used for
 * formats that are shown, not rendered.  Safe on a terminal, and one line.
 */
#ifndef BASE_LITERAL_H
#define BASE_LITERAL_H

#include "base/render_buffer.h"

void literal_put(struct render_buffer *out, const void *bytes, size_t count);

/*
 * The same of no more than `most` bytes, of whole characters: what was left out
 * is told by three points behind the quotes.
 */
void literal_put_start(struct render_buffer *out, const char *bytes,
	size_t count, size_t most);

/* The same of wide characters; `count` is of bytes, of any alignment. */
void literal_put_wide(
	struct render_buffer *out, const void *bytes, size_t count);

#endif
