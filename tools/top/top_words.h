/*
 * What a line of a view says behind its numbers.  Called by top_page.c, and by
 * top_rows.c, which filters by it.
 */
#ifndef TOOLS_TOP_TOP_WORDS_H
#define TOOLS_TOP_TOP_WORDS_H

#include "base/render_buffer.h"
#include "tools/top/top_rows.h"

/* Safe on a terminal, and without a newline. */
void top_words(const struct top_rows *rows, const struct top_row *row,
	struct top_names *names, struct render_buffer *out);

#endif
