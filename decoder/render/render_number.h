/*
 * A captured double or long double taken apart, whichever machine stored it.
 * Called by the float renderers.
 */
#ifndef DECODER_RENDER_NUMBER_H
#define DECODER_RENDER_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/render/render.h"
#include "decoder/render/render_decimal.h"

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
