#include "base/seeded_hash.h"

#include <string.h>
#include <sys/auxv.h>

uint64_t seeded_hash_start = 1;
uint64_t seeded_hash_factor = 0x9e3779b97f4a7c15u;

/* The kernel gives every process 16 random bytes. */
__attribute__((constructor)) static void choose(void)
{
	const char *random = (const char *)getauxval(AT_RANDOM);

	if (!random)
		return;
	memcpy(&seeded_hash_start, random, sizeof(seeded_hash_start));
	memcpy(&seeded_hash_factor, random + sizeof(seeded_hash_start),
		sizeof(seeded_hash_factor));
	seeded_hash_factor |= 1;
}

uint64_t seeded_hash(uint64_t hash, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	uint64_t rest = size; /* below those of the last word that are used */
	uint64_t word;

	for (; size >= sizeof(word); size -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = seeded_hash_fold(hash ^ word, seeded_hash_factor);
	}
	for (; size > 0; size--)
		rest = rest << 8 | p[size - 1];
	return seeded_hash_word(hash, rest);
}
