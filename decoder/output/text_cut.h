/*
 * Text that is cut where a terminal ends, with a mark.  Used by the styles that
 * show tables and lists to people; in files nothing is cut.
 */
#ifndef DECODER_TEXT_CUT_H
#define DECODER_TEXT_CUT_H

#include "base/render_buffer.h"

/*
 * Appends so much of a text, as text_width() takes it, without links, as takes
 * no more columns than `room`; a mark stands for what is left out, which is one
 * character where the locale has UTF-8.  All of it where not even the mark has
 * room.
 */
void text_cut_put(
	struct render_buffer *out, const char *text, size_t bytes, size_t room);

/* The same, but it is the beginning that is left out. */
void text_cut_put_end(
	struct render_buffer *out, const char *text, size_t bytes, size_t room);

/*
 * What has been appended from there on, lines of it or one without its end: no
 * line takes more columns than `width`, with its tabs, which become spaces.
 * 0: it stays as it is.
 */
void text_cut_lines(struct render_buffer *out, size_t from, size_t width);

/*
 * The same, but lines go on below, behind `indent` spaces, instead of being
 * cut; a word that is too long for one is.
 */
void text_cut_wrap(
	struct render_buffer *out, size_t from, size_t width, size_t indent);

#endif
