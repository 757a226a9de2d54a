/*
 * How many columns of a terminal a text takes: wide characters take two,
 * combining ones none.  Asked by the styles that align text.
 */
#ifndef BASE_TEXT_WIDTH_H
#define BASE_TEXT_WIDTH_H

#include <stddef.h>

/* Before rights are given up: where the columns of characters are in a file,
 * it is read. */
void text_width_prepare(void);

/* Of UTF-8 without control characters, as escape.h leaves it, but for links as
 * link.h makes them, which have no width. */
size_t text_width(const char *text, size_t bytes);

/* Of a tab behind so many columns. */
static inline size_t text_width_tab(size_t columns)
{
	return 8 - columns % 8;
}

/*
 * How many bytes at the start of such a text, without links, take no more
 * columns than that: whole characters, with all that combines with them.
 */
size_t text_width_head(const char *text, size_t bytes, size_t columns);

/* Likewise at its end; none of them combines with what is before. */
size_t text_width_tail(const char *text, size_t bytes, size_t columns);

#endif
