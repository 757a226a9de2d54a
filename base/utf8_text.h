/*
 * Text for formats in which it has to be UTF-8 and may end at a NUL.  Used by
 * the exports of such formats; promises to lose nothing: bytes that are not
 * come as \xNN, as binlog-show has them.
 */
#ifndef BASE_UTF8_TEXT_H
#define BASE_UTF8_TEXT_H

#include "base/render_buffer.h"

/* Appends the bytes. */
void utf8_text_put(struct render_buffer *out, const char *bytes, size_t size);

/* How many of the bytes are whole characters, if there is room for `most`. */
size_t utf8_text_fit(const char *bytes, size_t size, size_t most);

#endif
