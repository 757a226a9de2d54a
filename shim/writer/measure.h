/*
 * The length of the text of a directive, without making the text: what the
 * return value of printf is made of.  Exact, or says that it does not know.
 * Pure; on the hot path.
 */
#ifndef SHIM_MEASURE_H
#define SHIM_MEASURE_H

#include "shim/writer/plan.h"

/* More than any text: the sum of a call that libc has to measure. */
#define MEASURE_UNKNOWN ((uint64_t)1 << 40)

/* Of longer texts libc has to tell, which may refuse to make them. */
#define MEASURE_SURE ((uint64_t)1 << 30)

extern HIDDEN const uint64_t measure_powers[20];

/*
 * For fast_x86_64.S, which reaches them from its writer.  A number of 32 bits
 * plus digits[its bits], 0 to 32, has in its upper half the number of its
 * decimal digits.
 */
struct measure_tables {
	uint64_t digits[33];
	uint64_t hex_digits[33];
	uint64_t powers[64]; /* the power of ten with as many bits, or fewer */
	uint8_t exponents[64]; /* of these */
};

void measure_prepare(struct measure_tables *tables);

/* Decimal digits of a number; 1 for 0. */
static inline uint32_t measure_decimal(uint64_t n)
{
	uint32_t guess = (uint32_t)(64 - __builtin_clzll(n | 1)) * 1233 >> 12;

	return guess + (n >= measure_powers[guess]) + (n == 0);
}

/* Digits in base 1 << shift; 1 for 0. */
static inline uint32_t measure_digits(uint64_t n, unsigned shift)
{
	return (64 - (uint32_t)__builtin_clzll(n | 1) + shift - 1) / shift;
}

/* The arguments of "*" and ".*", for the directive that follows them. */
struct measure_stars {
	int32_t width;
	int32_t precision;
};

/* Of an integer, pointer or character whose bits are in `value`. */
uint64_t measure_formatted(const struct plan_argument *argument, uint64_t value,
	const struct measure_stars *stars);

/* Of "%f" and "%Lf"; MEASURE_UNKNOWN when only rounding can tell.  Without a
 * floating-point instruction, each of which may raise a flag or a signal. */
uint64_t measure_fixed(const struct plan_argument *argument, double value,
	const struct measure_stars *stars);
uint64_t measure_fixed_long(const struct plan_argument *argument,
	const long double *value, const struct measure_stars *stars);

/* Of what "%d" makes of an int. */
static inline uint32_t measure_int(int32_t n)
{
	return measure_decimal(n < 0 ? -(uint32_t)n : (uint32_t)n) + (n < 0);
}

static inline uint32_t measure_long(int64_t n)
{
	return measure_decimal(n < 0 ? -(uint64_t)n : (uint64_t)n) + (n < 0);
}

/* Of a string of `bytes` bytes as far as it will be printed. */
static inline uint64_t measure_string(const struct plan_argument *argument,
	uint32_t bytes, const struct measure_stars *stars)
{
	int64_t width =
		stars->width != FORMAT_NONE ? stars->width : argument->width;

	if (width < 0) /* none, or "*" with a negative one: to the left */
		width = width == FORMAT_NONE ? 0 : -width;
	return (uint64_t)width > bytes ? (uint64_t)width : bytes;
}

#endif
