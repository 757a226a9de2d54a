/*
 * A captured double or long double taken apart, whichever machine stored it.
 * Called by the float renderers.
 */
#ifndef DECODER_RENDER_NUMBER_H
#define DECODER_RENDER_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/render/render.h"

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

enum render_number_class {
	RENDER_NUMBER_FINITE,
	RENDER_NUMBER_INFINITE,
	RENDER_NUMBER_NAN,
};

struct render_number {
	struct render_binary binary; /* of a finite one, without its sign */
	bool negative;
	bool pseudo;	  /* x86-64: a denormal that has a leading bit */
	uint8_t class;	  /* enum render_number_class */
	uint8_t fraction; /* hexadecimal digits that %a has behind the point: */
			  /* 13 of a double, 15 on x86-64, 28 of binary128 */
};

/* Takes an F64, or a LONG_DOUBLE with data, apart. */
void render_number_decode(
	struct render_number *number, const struct render_argument *argument);

#endif
