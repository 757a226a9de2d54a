/*
 * How many bits a memoryless code takes for symbols that occur so often.  Used
 * where the packer chooses between encodings, so it is quick, not exact.
 */
#ifndef DECODER_ENTROPY_H
#define DECODER_ENTROPY_H

#include <stddef.h>
#include <stdint.h>

/* 256 times the binary logarithm of x, at least 1. */
static inline uint64_t entropy_logarithm(uint64_t x)
{
	unsigned whole = 63u - (unsigned)__builtin_clzll(x);
	uint64_t part = whole > 8 ? x >> (whole - 8) : x << (8 - whole);

	part -= 256;
	return whole * 256u + part + (part * (256 - part) * 89 >> 16);
}

/* Bytes for `total` symbols, at least 1, of which counts[] tells. */
static inline uint64_t entropy_bytes(const uint32_t counts[256], uint64_t total)
{
	uint64_t bits = total * entropy_logarithm(total);
	size_t i;

	for (i = 0; i < 256; i++)
		if (counts[i] > 0)
			bits -= counts[i] * entropy_logarithm(counts[i]);
	return bits / 256 / 8;
}

#endif
