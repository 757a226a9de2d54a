/*
 * What functions that log put around a text: times, process numbers, levels,
 * names before it, an error's words or where it happened behind it.  Asked by
 * statements.c for where in a message a statement may begin and end.
 */
#ifndef DECODER_LINE_PARTS_H
#define DECODER_LINE_PARTS_H

#include <stdbool.h>
#include <stddef.h>

/* No prefix has more words, brackets, numbers and blanks. */
#define LINE_PARTS_MAX 40

/*
 * The offsets of the text, from `from` on, where what comes before may be a
 * prefix; ascending, `from` itself first.  How many.
 */
size_t line_parts_begins(const char *text, size_t bytes, size_t from,
	size_t begins[LINE_PARTS_MAX]);

/* Whether what follows at an offset before the end may have been added. */
bool line_parts_ends(const char *text, size_t bytes, size_t at);

/* The bytes without the newlines that they end with. */
size_t line_parts_chomp(const char *text, size_t bytes);

#endif
