/*
 * The hash of tables in memory whose keys come out of files.  Both its start
 * and its factor are random and differ from run to run: whoever writes a file
 * cannot choose keys that collide, not even without knowing these, by changing
 * bits of one word that cancel those of another.  record/hash.h, which is part
 * of the formats, does not promise that.  Used by id_map.h and by all tables
 * that have their own slots; never written to a file.
 */
#ifndef BASE_SEEDED_HASH_H
#define BASE_SEEDED_HASH_H

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 seeded_hash_product;

/* Set before main(). */
extern uint64_t seeded_hash_start;
extern uint64_t seeded_hash_factor;

/* All bits of the product of two. */
static inline uint64_t seeded_hash_fold(uint64_t a, uint64_t b)
{
	const seeded_hash_product product = (seeded_hash_product)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/*
 * Mixes one word into a running hash.  Once with what is random, so that
 * nobody knows what comes out; once more, so that words in even steps do not
 * stay so.
 */
static inline uint64_t seeded_hash_word(uint64_t hash, uint64_t word)
{
	hash = seeded_hash_fold(hash ^ word, seeded_hash_factor);
	return seeded_hash_fold(hash, 0x9e3779b97f4a7c15u);
}

/* Mixes `size` bytes into a running hash, and how many they are. */
uint64_t seeded_hash(uint64_t hash, const void *bytes, size_t size);

#endif
