/*
 * How many columns of a terminal a text takes: wide characters take two,
 * combining ones none.  Asked by the styles that align text.
 */
#ifndef BASE_TEXT_WIDTH_H
#define BASE_TEXT_WIDTH_H

#include <stddef.h>

/* Of UTF-8 without control characters, as escape.h leaves it, but for links as
 * link.h makes them, which have no width. */
size_t text_width(const char *text, size_t bytes);

#endif
