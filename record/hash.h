/*
 * The content hash of format version 1: tells two executables apart that
 * carry no build-id.  Not cryptographic.  Same code on both sides.
 */
#ifndef RECORD_HASH_H
#define RECORD_HASH_H

#include <stddef.h>
#include <stdint.h>

#define BINLOG_HASH_FACTOR 0x9e3779b97f4a7c15u

/* Mixes one word into a running hash. */
static inline uint64_t binlog_hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * BINLOG_HASH_FACTOR;
	return hash ^ hash >> 29;
}

/*
 * Hash of `size` bytes: its words (little-endian, the last one filled up with
 * zeros) and then the size.  Reads nothing beyond data[size - 1].
 */
static inline uint64_t binlog_hash(const void *data, size_t size)
{
	const unsigned char *p = data;
	uint64_t hash = BINLOG_HASH_FACTOR;
	uint64_t word;
	size_t left;

	for (left = size; left >= sizeof(word); left -= sizeof(word)) {
		__builtin_memcpy(&word, p, sizeof(word));
		hash = binlog_hash_word(hash, word);
		p += sizeof(word);
	}
	for (word = 0; left > 0; left--)
		word = word << 8 | p[left - 1];
	return binlog_hash_word(binlog_hash_word(hash, word), size);
}

#endif
