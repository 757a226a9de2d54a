/*
 * Binary fractions as exact decimal digits, rounded half to even.  Called by
 * the float renderers; no floating-point arithmetic, no memory of its own,
 * correct for every number up to binary128.
 */
#ifndef DECODER_RENDER_DECIMAL_H
#define DECODER_RENDER_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The most digits that any number has: those of the smallest binary128, or
 * those of the largest number and of the bits of a mantissa behind its point.
 */
#define RENDER_DECIMAL_MAX 16512

/* mantissa (128 bits) times 2 to the exponent. */
struct render_binary {
	uint64_t high;
	uint64_t low;
	int exponent; /* from -16494 to 16383 - 63 */
};

/* 0.d1d2d3... times 10 to the point; beyond `count` come zeros. */
struct render_decimal {
	int count; /* 0 for zero */
	int point;
	bool carried; /* it was all nines and has been rounded up */
	int made;     /* digits before it was rounded: what it took */
	char digits[RENDER_DECIMAL_MAX];
};

/* Rounds to so many places behind the decimal point, places >= 0. */
void render_decimal_places(struct render_decimal *decimal,
	const struct render_binary *binary, int64_t places);

/* Rounds to so many digits, digits > 0; the first one is not a zero. */
void render_decimal_digits(struct render_decimal *decimal,
	const struct render_binary *binary, int64_t digits);

#endif
