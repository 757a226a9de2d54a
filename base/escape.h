/*
 * Text that is safe on a terminal: what could move the cursor, change the
 * terminal or hide text comes as \xNN.  Used by every style but the raw one,
 * on terminals and elsewhere, since what goes into a pager or a file ends on
 * a terminal sooner or later.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdint.h>

#include "base/render_buffer.h"

/* As `indent`: a newline is escaped like the others. */
#define ESCAPE_NEWLINE SIZE_MAX

/*
 * Appends the bytes.  Escaped are, byte by byte: control characters except
 * tab, DEL, bytes that are not UTF-8, and what harmless.h does not call so.  A
 * newline is followed by `indent` spaces, see also ESCAPE_NEWLINE.
 */
void escape_put(struct render_buffer *out, const char *bytes, size_t size,
	size_t indent);

#endif
