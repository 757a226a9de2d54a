/*
 * An .xz stream that holds bytes as they are, in one uncompressed chunk of
 * LZMA2, so that a fuzzer can change what MiniDebugInfo unpacks to.  See "The
 * .xz File Format", tukaani.org/xz.
 */
#ifndef TESTS_FUZZ_STORED_XZ_H
#define TESTS_FUZZ_STORED_XZ_H

#include <string.h>
#include <zlib.h>

#include "tests/fuzz/fuzz.h"

#define STORED_XZ_MOST 0x8000u /* bytes of a stream */
#define STORED_XZ_MORE 128u    /* that the stream is longer than those */

static inline size_t stored_xz_crc(uint8_t *to, size_t from, size_t at)
{
	uint32_t sum = (uint32_t)crc32(0, to + from, (uInt)(at - from));

	memcpy(to + at, &sum, sizeof(sum));
	return at + sizeof(sum);
}

static inline size_t stored_xz_number(uint8_t *to, size_t at, size_t number)
{
	for (; number >= 0x80; number >>= 7)
		to[at++] = (uint8_t)(number | 0x80);
	to[at++] = (uint8_t)number;
	return at;
}

static inline size_t stored_xz_pad(uint8_t *to, size_t at)
{
	while (at % 4 != 0)
		to[at++] = 0;
	return at;
}

/* Up to STORED_XZ_MOST bytes; `to` has room for STORED_XZ_MORE in addition. */
static inline size_t stored_xz(uint8_t *to, const uint8_t *data, size_t size)
{
	static const uint8_t start[] = {0xfd, '7', 'z', 'X', 'Z', 0, 0, 0};
	/* of 12 bytes, one filter: LZMA2 with a dictionary of 64 KiB */
	static const uint8_t block[] = {2, 0, 0x21, 1, 8, 0, 0, 0};
	size_t at = sizeof(start);
	size_t before;
	size_t bytes;

	memcpy(to, start, at);
	at = stored_xz_crc(to, 6, at);
	before = at;
	memcpy(to + at, block, sizeof(block));
	at = stored_xz_crc(to, at, at + sizeof(block));
	if (size > 0) {
		to[at++] = 1;
		to[at++] = (uint8_t)((size - 1) >> 8);
		to[at++] = (uint8_t)(size - 1);
		memcpy(to + at, data, size);
		at += size;
	}
	to[at++] = 0;
	bytes = at - before;
	before = at = stored_xz_pad(to, at);
	to[at++] = 0; /* the index, of one block */
	to[at++] = 1;
	at = stored_xz_number(to, at, bytes);
	at = stored_xz_number(to, at, size);
	at = stored_xz_pad(to, at);
	at = stored_xz_crc(to, before, at);
	bytes = (at - before) / 4 - 1;
	memcpy(to + at + 4, &(uint32_t){(uint32_t)bytes}, 4);
	memset(to + at + 8, 0, 2); /* flags */
	stored_xz_crc(to + at + 4, 0, 6);
	memmove(to + at, to + at + 10, 4);
	memcpy(to + at + 10, "YZ", 2);
	return at + 12;
}

#endif
