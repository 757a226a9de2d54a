/*
 * Formats by hand: arguments are there as they were, so their text can be made
 * with another format, or of numbers in hexadecimal.  Set by options before
 * anything is read, for all that is shown; asked by message.c.
 */
#ifndef DECODER_BY_HAND_H
#define DECODER_BY_HAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/render/render.h"

/* All directives of whole numbers print hexadecimal ones. */
void by_hand_hex(void);

/* 'GLOB => FORMAT': of formats that are like this.  The value is borrowed.
 * Null, or what is wrong with it. */
const char *by_hand_add(const char *value);

extern bool by_hand_any;

/* Something is to be shown otherwise than it was said. */
static inline bool by_hand_is_asked_for(void)
{
	return __builtin_expect(by_hand_any, 0);
}

/*
 * Appends the text; false, and nothing is appended: this format stays as it is,
 * or its arguments are not those that the other one takes.
 */
bool by_hand_put(struct render_buffer *out, const char *format, size_t length,
	const struct render_argument *arguments, size_t count, uint32_t libc);

#endif
