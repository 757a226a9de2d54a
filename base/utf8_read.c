#include "base/utf8_read.h"

#include <string.h>

/* How many bytes follow the first one; 0: it begins no character. */
static size_t followers(uint8_t first)
{
	if (first >= 0xc2 && first < 0xe0)
		return 1;
	if (first >= 0xe0 && first < 0xf0)
		return 2;
	return first >= 0xf0 && first < 0xf5 ? 3 : 0;
}

size_t utf8_read(const char *bytes, size_t size, uint32_t *character)
{
	uint8_t first = (uint8_t)bytes[0];
	size_t more = followers(first);
	/* The second byte tells what could be written shorter, surrogates, */
	/* and what is beyond U+10FFFF. */
	uint8_t least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	uint8_t most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
	uint32_t value;
	size_t i;

	*character = UTF8_READ_BAD;
	if (first < 0x80) {
		*character = first;
		return 1;
	}
	if (more == 0)
		return 1;
	value = first & (0x3fu >> more);
	for (i = 1; i <= more; i++) {
		if (i == size || (uint8_t)bytes[i] < least ||
			(uint8_t)bytes[i] > most)
			return i;
		value = value << 6 | ((uint8_t)bytes[i] & 0x3fu);
		least = 0x80;
		most = 0xbf;
	}
	*character = value;
	return i;
}

/* How many bytes from there on are ASCII. */
static size_t skip_ascii(const char *bytes, size_t size)
{
	uint64_t word;
	size_t at = 0;

	for (; size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		if (word & UINT64_MAX / 255 * 0x80)
			break;
	}
	while (at < size && (uint8_t)bytes[at] < 0x80)
		at++;
	return at;
}

bool utf8_read_is_good(const char *bytes, size_t size)
{
	size_t at = skip_ascii(bytes, size);
	uint32_t character;

	while (at < size) {
		at += utf8_read(bytes + at, size - at, &character);
		if (character == UTF8_READ_BAD)
			return false;
		at += skip_ascii(bytes + at, size - at);
	}
	return true;
}
