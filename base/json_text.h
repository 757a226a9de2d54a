/*
 * Values of JSON.  Used by every style that writes it; promises that what is
 * appended is valid UTF-8 without a newline, and safe on a terminal.
 */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"

/*
 * Appends the bytes between quotes.  What is not UTF-8 becomes U+FFFD; false:
 * there was some.
 */
bool json_text_string(
	struct render_buffer *out, const char *bytes, size_t size);

/* The same without quotes, for a string that is put together. */
bool json_text_escape(
	struct render_buffer *out, const char *bytes, size_t size);

/* Of one that ends in NUL. */
bool json_text_word(struct render_buffer *out, const char *string);

/* The bytes in base64, between quotes. */
void json_text_base64(
	struct render_buffer *out, const char *bytes, size_t size);

/* All digits, also beyond what a double of JavaScript holds. */
void json_text_unsigned(struct render_buffer *out, uint64_t number);
void json_text_integer(struct render_buffer *out, int64_t number);

/*
 * Read back it is the same double; those that JSON has no number for are the
 * strings "NaN", "Infinity" and "-Infinity".
 */
void json_text_float(struct render_buffer *out, double number);

/* Text that is JSON already: a literal. */
#define json_text_put(out, literal)                                            \
	render_buffer_put((out), literal "", sizeof(literal) - 1)

#endif
