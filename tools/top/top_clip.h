/*
 * Text cut to columns of a terminal.  Called by top_page.c for each line;
 * expects text that escape_put() has made safe.
 */
#ifndef TOOLS_TOP_TOP_CLIP_H
#define TOOLS_TOP_TOP_CLIP_H

#include "base/render_buffer.h"

/* Appends what fits into so many columns of text[0..size). */
void top_clip(
	struct render_buffer *out, const char *text, size_t size, size_t width);

#endif
