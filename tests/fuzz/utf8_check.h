/*
 * Whether text is UTF-8, and safe on a terminal: nothing of C0 but tabs, no
 * DEL, nothing of C1, no control of writing direction.  For the targets of
 * what is shown.
 */
#ifndef TESTS_FUZZ_UTF8_CHECK_H
#define TESTS_FUZZ_UTF8_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character at *at, and past it; UINT32_MAX: it is none. */
static inline uint32_t utf8_check_next(
	const unsigned char **at, const unsigned char *end)
{
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
	uint32_t c = *(*at)++;
	int more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;

	if ((c >= 0x80 && c < 0xc2) || c > 0xf4)
		return UINT32_MAX;
	c &= more ? 0x3fu >> more : 0x7f;
	for (int i = 0; i < more; i++, ++*at) {
		if (*at == end || (**at & 0xc0) != 0x80)
			return UINT32_MAX;
		c = c << 6 | (**at & 0x3f);
	}
	return c >= least[more] && c <= 0x10ffff && (c & ~0x7ffu) != 0xd800
		       ? c
		       : UINT32_MAX;
}

static inline bool utf8_check_is_control(uint32_t c)
{
	return (c < 0x20 && c != '\t') || (c >= 0x7f && c < 0xa0) ||
	       c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static inline bool utf8_check_is_harmless(const char *text, size_t bytes)
{
	const unsigned char *at = (const unsigned char *)text;
	const unsigned char *end = bytes > 0 ? at + bytes : at;

	while (at < end) {
		uint32_t c = utf8_check_next(&at, end);

		if (c == UINT32_MAX || utf8_check_is_control(c))
			return false;
	}
	return true;
}

#endif
