/*
 * Random arguments for printf: those that are easily rendered wrong come more
 * often.  For tests; the same seed, or input of a fuzzer, gives the same
 * values.
 */
#ifndef TESTS_RANDOM_VALUE_H
#define TESTS_RANDOM_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/libc_print.h"

#define RANDOM_BYTES 2048 /* room that a string needs */

static uint64_t random_state; /* set it to seed */
/* Bytes that decide as long as there are some: see random_from(). */
static const uint8_t *random_at;
static const uint8_t *random_end;

static inline uint64_t random_take(size_t most)
{
	size_t size = (size_t)(random_end - random_at);
	uint64_t value = 0;

	size = size < most ? size : most;
	memcpy(&value, random_at, size);
	random_at += size;
	return value;
}

/*
 * From here on the input decides, which stays the caller's: its first 8 bytes
 * are the seed of what comes behind its end.
 */
static inline void random_from(const uint8_t *data, size_t size)
{
	random_at = data;
	random_end = data + size;
	random_state = size > 0 ? random_take(8) : 0;
}

static inline uint64_t next_random(void)
{
	uint64_t x;

	if (random_at != random_end)
		return random_take(8);
	x = random_state += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static inline unsigned int below(unsigned int limit)
{
	if (random_at != random_end)
		return (unsigned int)random_take(limit <= 256 ? 1 : 4) % limit;
	return (unsigned int)(next_random() >> 32) % limit;
}

static inline bool one_in(unsigned int n)
{
	return below(n) == 0;
}

/* Integers of every length, and the neighbours of every power of two. */
static inline uint64_t random_integer(void)
{
	uint64_t value = next_random() >> below(64);

	if (one_in(4))
		value = ((uint64_t)1 << below(64)) + below(3) - 1;
	return one_in(3) ? -value : value;
}

static const double powers_of_ten[] = {
	1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e9, 1e15};

static inline double random_decimal(void)
{
	double value = (double)(int64_t)(next_random() >> (11 + below(53)));

	return value / powers_of_ten[below(10)];
}

/* A power of ten or of two, or half of something, and what is next to it. */
static inline double random_boundary(void)
{
	double value = 1;
	int exponent = (int)below(309);
	uint64_t bits;
	int i;

	for (i = 0; i < exponent; i++)
		value *= 10;
	if (one_in(2))
		value = 1 / value;
	if (one_in(4)) /* many nines */
		value = powers_of_ten[below(10)] - 1 / powers_of_ten[below(10)];
	if (one_in(3))
		value = (double)(next_random() >> (20 + below(44))) / 2;
	if (one_in(3))
		value = (double)(next_random() >> 40) / (1u << below(30));
	memcpy(&bits, &value, sizeof(bits));
	bits += below(5) - 2u;
	memcpy(&value, &bits, sizeof(bits));
	return value;
}

static inline double random_double(void)
{
	double value;
	uint64_t bits = next_random();

	switch (below(6)) {
	case 0:
		return random_decimal();
	case 1:
		return -random_decimal();
	case 2:
		return random_boundary();
	case 3: /* zero, subnormal, infinite, NaN */
		bits &= ~((uint64_t)0x7ff << 52);
		bits = one_in(3) ? bits & (uint64_t)1 << 63
				 : bits & ~(UINT64_MAX >> below(13) >> 12);
		bits |= one_in(2) ? (uint64_t)0x7ff << 52 : 0;
		break;
	case 4: /* about 1 */
		bits = (bits & ~((uint64_t)0x7ff << 52)) |
		       (uint64_t)(0x3ff - 70 + below(140)) << 52;
		break;
	}
	memcpy(&value, &bits, sizeof(bits));
	return value;
}

/* Any 16 bytes, many of them near 1, some of a kind that no FPU makes. */
static inline void random_long_double(char *data)
{
	long double value;
	uint64_t bits[2] = {next_random(), next_random()};
	unsigned int top = LIBC_BINARY128 ? 48 : 0;
	uint64_t exponent = !one_in(8)	 ? 0x3fff - 100 + below(200)
			    : one_in(8)	 ? below(3)
			    : one_in(16) ? 0x7fff - below(3)
					 : bits[1] >> 49;

	if (one_in(4)) {
		value = (long double)random_double() * random_double();
		memset(data, 0, 16);
		memcpy(data, &value, top != 0 ? 16 : 10);
		return;
	}
	if (one_in(4))
		bits[0] = (uint64_t)1 << below(64) | (uint64_t)1 << 63;
	if (top == 0 && !one_in(20))
		bits[0] |= (uint64_t)1 << 63;
	bits[1] &= ~((uint64_t)0x7fff << top);
	bits[1] |= exponent << top;
	memcpy(data, bits, 16);
}

/* Any bytes, ASCII alone, or text of several languages. */
static inline uint32_t random_string(char *data)
{
	static const char *const pieces[] = {"\xc3\xa4", "\xe2\x82\xac",
		"\xe6\x97\xa5", "\xf0\x9f\x98\x80", "a", "Z", " ", "%"};
	uint32_t size = one_in(20)  ? below(RANDOM_BYTES)
			: one_in(8) ? below(200)
				    : below(30);
	unsigned int kind = below(4);
	uint32_t i = 0;

	while (kind == 0 && i + 4 < size) {
		const char *piece = pieces[below(8)];

		memcpy(data + i, piece, strlen(piece));
		i += (uint32_t)strlen(piece);
	}
	for (; i < size; i++)
		data[i] = (char)(1 + below(kind == 1 && one_in(4) ? 255 : 126));
	data[size] = '\0';
	return size;
}

static inline uint32_t random_wide_character(void)
{
	static const uint32_t odd[] = {0x7f, 0x80, 0x7ff, 0x800, 0xffff,
		0x10000, 0x10ffff, 0x110000, 0x1fffff, 0x200000, 0x3ffffff,
		0x4000000, 0x7fffffff, 0xd7ff, 0xe000};

	if (one_in(1000))
		return one_in(2) ? 0xd800 + below(0x800) : 0x80000000;
	if (one_in(8))
		return odd[below(sizeof(odd) / sizeof(*odd))];
	if (one_in(8))
		return 0x20ac;
	return 1 + below(126);
}

static inline uint32_t random_wide_string(char *data)
{
	uint32_t size = one_in(10) ? below(RANDOM_BYTES / 4) : below(20);
	uint32_t c;
	uint32_t i;

	for (i = 0; i <= size; i++) {
		c = i < size ? random_wide_character() : 0;
		memcpy(data + 4 * i, &c, 4);
	}
	return 4 * size;
}

#endif
