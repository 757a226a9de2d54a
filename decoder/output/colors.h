/*
 * Text in the colour of its priority, as journalctl has it: red for errors,
 * yellow for warnings, bold for what is significant, dim for debugging.  Used
 * by the styles that show lines, on terminals.  Sequences are ours alone: those
 * in a text come escaped.
 */
#ifndef DECODER_COLORS_H
#define DECODER_COLORS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/render_buffer.h"
#include "decoder/output/options.h"

/* Whether what is written to this descriptor is to be coloured. */
bool colors_are_wanted(enum options_when wanted, int fd);

/* What begins the colour of a level; null: it has none. */
const char *colors_of(int level);

#define COLORS_DIM "\033[2m"
#define COLORS_END "\033[0m"

/*
 * Appends what escape_put() makes of the text, each line of it in the colour of
 * the level; without a colour that is all.
 */
void colors_put(struct render_buffer *out, int level, const char *text,
	size_t bytes, size_t indent);

#endif
