/*
 * Text that is safe on a terminal: what could move the cursor, change the
 * terminal or hide text comes as \xNN.  Used by every style but the raw one,
 * on terminals and elsewhere, since what goes into a pager or a file ends on
 * a terminal sooner or later.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/render_buffer.h"

/*
 * Of Unicode beyond ASCII: neither a C1 control, nor one of the direction of
 * writing, nor one that ends a line or is not seen at all: byte order marks,
 * and tags, which can carry a text of their own.  Joiners, which some scripts
 * need, are.
 */
static inline bool printable_character(uint32_t character)
{
	return character >= 0xa0 && character != 0x061c &&   /* ALM */
	       character != 0x200e && character != 0x200f && /* LRM RLM */
	       (character < 0x2028 || character > 0x202e) && /* LS to RLO */
	       (character < 0x2066 || character > 0x2069) && /* isolates */
	       character != 0xfeff &&			     /* BOM */
	       (character < 0xe0000 || character > 0xe007f); /* tags */
}

/* As `indent`: a newline is escaped like the others. */
#define ESCAPE_NEWLINE SIZE_MAX

/*
 * Appends the bytes.  Escaped are, byte by byte: control characters except
 * tab, DEL, bytes that are not UTF-8, and what is not printable_character().  A
 * newline is followed by `indent` spaces, see also ESCAPE_NEWLINE.
 */
void escape_put(struct render_buffer *out, const char *bytes, size_t size,
	size_t indent);

#endif
