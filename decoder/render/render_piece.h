/*
 * One directive on its way into the buffer, and what its renderers share:
 * padding within the limit, digits in groups.  Private to the render_*.c
 * files; one thread.
 */
#ifndef DECODER_RENDER_PIECE_H
#define DECODER_RENDER_PIECE_H

#include "decoder/render/render.h"
#include "record/format.h"

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

#endif
