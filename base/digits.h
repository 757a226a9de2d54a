/*
 * Decimal digits, written forward into room that the caller has.  Used
 * wherever numbers are put into text one for each message; promises what "%u"
 * of printf makes of them.
 */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stdint.h>
#include <string.h>

#define DIGITS_U64_MAX 20 /* of 64 bits */

extern const char digits_pairs[201]; /* 00 to 99 */

/* Ten to the power of the index; but 0 in place of 1, for digits_count(). */
extern const uint64_t digits_powers[DIGITS_U64_MAX];

/* How many digits the value has; 0 has one. */
static inline unsigned int digits_count(uint64_t value)
{
	unsigned int bits = 64 - (unsigned int)__builtin_clzll(value | 1);
	unsigned int least = bits * 1233 >> 12; /* times the log of 2 */

	return least + (value >= digits_powers[least]);
}

static inline void digits_write_pair(char *to, uint64_t below_hundred)
{
	memcpy(to, digits_pairs + below_hundred * 2, 2);
}

/* Eight digits, of which none waits for all of those behind it. */
static inline void digits_write_eight(char *to, uint32_t value)
{
	uint32_t upper = value / 10000;
	uint32_t lower = value % 10000;

	digits_write_pair(to, upper / 100);
	digits_write_pair(to + 2, upper % 100);
	digits_write_pair(to + 4, lower / 100);
	digits_write_pair(to + 6, lower % 100);
}

/* The last `count` digits, with zeros before them; returns their end. */
static inline char *digits_write_last(
	char *to, uint64_t value, unsigned int count)
{
	char *end = to + count;

	for (; count >= 8; count -= 8) {
		digits_write_eight(
			to + count - 8, (uint32_t)(value % 100000000));
		value /= 100000000;
	}
	for (; count >= 2; count -= 2) {
		digits_write_pair(to + count - 2, value % 100);
		value /= 100;
	}
	if (count > 0)
		*to = (char)('0' + value % 10);
	return end;
}

/* All of them; returns their end. */
static inline char *digits_write(char *to, uint64_t value)
{
	return digits_write_last(to, value, digits_count(value));
}

/* What is behind the point of a time: nine digits of less than a second. */
static inline char *digits_write_nanoseconds(char *to, uint32_t nanoseconds)
{
	uint32_t upper = nanoseconds / 100000;
	uint32_t lower = nanoseconds % 100000;

	digits_write_pair(to, upper / 100);
	digits_write_pair(to + 2, upper % 100);
	digits_write_pair(to + 4, lower / 1000);
	digits_write_pair(to + 6, lower / 10 % 100);
	to[8] = (char)('0' + lower % 10);
	return to + 9;
}

#endif
