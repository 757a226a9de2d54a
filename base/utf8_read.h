/*
 * Characters out of bytes that may be UTF-8.  Used by the exports, whose
 * formats have text that must be; promises to divide bytes that are not as
 * the Unicode standard recommends, which other programs do, too.
 */
#ifndef BASE_UTF8_READ_H
#define BASE_UTF8_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"

/* Appends the bytes. */
void utf8_text_put(struct render_buffer *out, const char *bytes, size_t size);

/* How many of the bytes are whole characters, if there is room for `most`. */
size_t utf8_text_fit(const char *bytes, size_t size, size_t most);

#define UTF8_READ_BAD UINT32_MAX
#define UTF8_READ_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/*
 * The first of `size` bytes, at least one: how many of them *character has.
 * So many belong together although they are none: UTF8_READ_BAD.
 */
size_t utf8_read(const char *bytes, size_t size, uint32_t *character);

/* Whether all of it is. */
bool utf8_read_is_good(const char *bytes, size_t size);

#endif
