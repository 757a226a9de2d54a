/*
 * Which characters may be shown to people as they are.  Used wherever text is
 * made safe, for terminals and for formats that have their own escapes, so
 * that all agree.
 */
#ifndef BASE_HARMLESS_H
#define BASE_HARMLESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Of Unicode beyond ASCII: neither a C1 control, nor one of the direction of
 * writing, nor one that ends a line or is not seen at all: byte order marks,
 * and tags, which can carry a text of their own.  Joiners, which some scripts
 * need, are.
 */
static inline bool harmless_character(uint32_t character)
{
	return character >= 0xa0 && character != 0x061c &&   /* ALM */
	       character != 0x200e && character != 0x200f && /* LRM RLM */
	       (character < 0x2028 || character > 0x202e) && /* LS to RLO */
	       (character < 0x2066 || character > 0x2069) && /* isolates */
	       character != 0xfeff &&			     /* BOM */
	       (character < 0xe0000 || character > 0xe007f); /* tags */
}

#endif
