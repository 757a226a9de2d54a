#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/seeded_hash.h"

#define PAIRS 12u
#define KEYS (1u << PAIRS)

/* How many of the slots are taken when KEYS hashes go into as many. */
static size_t spread(const uint64_t hashes[KEYS])
{
	static bool taken[KEYS];
	size_t count = 0;
	size_t i;

	memset(taken, 0, sizeof(taken));
	for (i = 0; i < KEYS; i++) {
		bool *slot = &taken[hashes[i] % KEYS];

		count += !*slot;
		*slot = true;
	}
	return count;
}

/* A random function takes 63 of 100 slots. */
static void assert_spread(const uint64_t hashes[KEYS])
{
	assert_in_range(spread(hashes), KEYS / 2, KEYS);
}

/*
 * An odd factor leaves a flip of the highest bit where it is, whatever the
 * seed is.  Behind a shift right by 29 it is in bit 34, too, and the next word
 * can undo both: 2^PAIRS keys would be one.
 */
static void flips_do_not_cancel(void **state)
{
	static uint64_t hashes[KEYS];
	uint64_t key[2 * PAIRS];
	uint32_t i, pair;

	(void)state;
	for (i = 0; i < KEYS; i++) {
		memset(key, 0x61, sizeof(key));
		for (pair = 0; pair < PAIRS; pair++)
			if (i >> pair & 1) {
				key[2 * pair] ^= 1ull << 63;
				key[2 * pair + 1] ^= 1ull << 63 | 1ull << 34;
			}
		hashes[i] = seeded_hash(seeded_hash_start, key, sizeof(key));
	}
	assert_spread(hashes);
}

static void high_bits_of_a_word_count(void **state)
{
	static uint64_t hashes[KEYS];
	uint64_t i;

	(void)state;
	for (i = 0; i < KEYS; i++)
		hashes[i] = seeded_hash_word(seeded_hash_start, i << 52);
	assert_spread(hashes);
	for (i = 0; i < KEYS; i++)
		hashes[i] = seeded_hash_word(seeded_hash_start, i << 20);
	assert_spread(hashes);
	for (i = 0; i < KEYS; i++)
		hashes[i] = seeded_hash_word(seeded_hash_start, i);
	assert_spread(hashes);
}

static void zeros_at_the_end_count(void **state)
{
	static const char zeros[32];
	uint64_t hashes[sizeof(zeros)];
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(zeros); i++) {
		hashes[i] = seeded_hash(seeded_hash_start, zeros, i);
		for (k = 0; k < i; k++)
			assert_true(hashes[k] != hashes[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flips_do_not_cancel),
		cmocka_unit_test(high_bits_of_a_word_count),
		cmocka_unit_test(zeros_at_the_end_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
