/*
 * A hash of bytes, 16 at a time.  Used by the store of answers to find strings,
 * and by the cache to tell a damaged file.  Promises that it depends on all of
 * them, and that nobody makes equal ones on purpose who does not know the seed.
 */
#ifndef BASE_BYTEHASH_H
#define BASE_BYTEHASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 bytehash_product;

/* For numbers that nobody chooses. */
static inline uint64_t bytehash_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static inline uint64_t bytehash_fold(uint64_t a, uint64_t b)
{
	bytehash_product product = (bytehash_product)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t bytehash(const void *data, size_t count, uint64_t seed)
{
	const uint64_t key = bytehash_mix(~seed, 0);
	const char *at = data;
	uint64_t hash = bytehash_mix(seed, count);
	uint64_t words[2];

	for (; count >= sizeof(words); count -= sizeof(words)) {
		memcpy(words, at, sizeof(words));
		hash = bytehash_fold(hash ^ words[0], key ^ words[1]);
		at += sizeof(words);
	}
	memset(words, 0, sizeof(words));
	memcpy(words, at, count);
	hash = bytehash_fold(hash ^ words[0], key ^ words[1]);
	return bytehash_mix(hash, key);
}

#endif
