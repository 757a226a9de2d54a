/*
 * UTF-8 as glibc writes it.  Used by the capturing side to compare a wide text
 * with the narrow one that is recorded in its place, and by the reading side
 * to render "%ls"; so both always agree.  Pure, freestanding.
 */
#ifndef RECORD_UTF8_H
#define RECORD_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_MAX 6 /* bytes of one character */

/* The character's bytes, and how many: up to six, 0 for what is none. */
static inline size_t utf8_put(char to[UTF8_MAX], uint32_t c)
{
	size_t size = 2;
	size_t i;

	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c > INT32_MAX || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	while (size < UTF8_MAX && c >> (5 * size + 1) != 0)
		size++;
	for (i = size - 1; i > 0; i--, c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(0xff00u >> size | c);
	return size;
}

#endif
