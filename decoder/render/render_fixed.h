/*
 * A number with few places behind its point, rounded exactly as by printf:
 * one multiplication of 128 bits gives all of them and, below, what is left
 * for rounding.  Called by whoever prints "%.3f"; most numbers are such.
 */
#ifndef DECODER_RENDER_FIXED_H
#define DECODER_RENDER_FIXED_H

#include <stdbool.h>
#include <stdint.h>

#define RENDER_FIXED_PLACES 17 /* at most: their digits fit into 64 bits */

struct render_fixed {
	uint64_t integer;
	uint64_t fraction; /* with a digit 1 before its places, keeping zeros */
};

/*
 * mantissa times 2 to the exponent, rounded half to even.  False: the number
 * is too large for this; `places` is RENDER_FIXED_PLACES at most.
 */
bool render_fixed_split(struct render_fixed *fixed, uint64_t mantissa,
	int exponent, unsigned int places);

#endif
