/*
 * A captured double or long double taken apart, whichever machine stored it.
 * Called by the float renderers.
 */
#ifndef DECODER_RENDER_NUMBER_H
#define DECODER_RENDER_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/render/render.h"
#include "record/format.h"

#define RENDER_FIXED_PLACES 17 /* at most: their digits fit into 64 bits */

struct render_fixed {
	uint64_t integer;
	uint64_t fraction; /* with a digit 1 before its places, keeping zeros */
};

/*
 * mantissa times 2 to the exponent, rounded half to even.  False: the number
 * is too large for this; `locations` is RENDER_FIXED_PLACES at most.
 */
bool render_fixed_split(struct render_fixed *fixed, uint64_t mantissa,
	int exponent, unsigned int places);

struct render_piece {
	struct render_buffer *out;
	const struct render_locale *locale; /* never NULL */
	uint32_t libc;
	size_t fill;	 /* padding that this call may still write */
	size_t digits;	 /* that its numbers may still have in full */
	bool cut;	 /* either was not enough */
	char conversion; /* these as in struct format_directive, */
	uint8_t flags;	 /* but with stars resolved: width >= 0, */
	uint8_t size;
	char behind; /* what pads on the right */
	int64_t width;
	int64_t precision; /* negative: not given */
};

/* Writes `count` padding characters, or as many as the limit leaves. */
static inline void render_piece_pad(
	struct render_piece *piece, char c, int64_t count)
{
	if (count <= 0)
		return;
	if ((uint64_t)count > piece->fill) {
		piece->cut = true;
		count = (int64_t)piece->fill;
	}
	piece->fill -= (size_t)count;
	render_buffer_fill(piece->out, c, (size_t)count);
}

/* Spaces on the left of something `size` columns wide, if they belong there. */
static inline void render_piece_begin(
	struct render_piece *piece, int64_t size, bool zeros)
{
	if (!(piece->flags & FORMAT_MINUS) && !zeros)
		render_piece_pad(piece, ' ', piece->width - size);
}

/* The same on its right. */
static inline void render_piece_end(struct render_piece *piece, int64_t size)
{
	if (piece->flags & FORMAT_MINUS)
		render_piece_pad(piece, piece->behind, piece->width - size);
}

/* The sign to be written before a signed number, or 0. */
static inline char render_piece_sign(
	const struct render_piece *piece, bool negative)
{
	if (negative)
		return '-';
	if (piece->flags & FORMAT_PLUS)
		return '+';
	return piece->flags & FORMAT_SPACE ? ' ' : 0;
}

static inline void render_piece_put_point(struct render_piece *piece)
{
	const char *point = piece->locale->decimal_point;

	render_buffer_put(piece->out, point, strlen(point));
}

/* Whether the locale puts a separator before the last `digits` digits. */
bool render_integer_group_ends(
	const struct render_locale *locale, int64_t digits);

/* %d %u %o %x %X %b %B, and %p but for a null pointer: |value| and its sign. */
void render_integer_put(
	struct render_piece *piece, uint64_t value, bool negative);

/* The decimal digits of value up to `end`; returns where they begin. */
char *render_integer_write(char *end, uint64_t value);

/* %e %f %g %a, of an F64 or LONG_DOUBLE. */
void render_float_put(
	struct render_piece *piece, const struct render_argument *argument);

/* %a of a finite number. */
struct render_number;
void render_hexfloat_put(
	struct render_piece *piece, const struct render_number *number);

/* Bytes within width; the precision is the caller's affair. */
void render_text_put(struct render_piece *piece, const void *data, size_t size);

/* %s %ls; false when a wide character is none. */
bool render_text_put_string(
	struct render_piece *piece, const struct render_argument *argument);

/* %c %lc, likewise. */
bool render_text_put_character(struct render_piece *piece, int32_t c);

/* %m. */
void render_text_put_errno(struct render_piece *piece, int32_t number);

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
