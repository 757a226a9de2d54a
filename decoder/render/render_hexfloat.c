#include <string.h>

#include "decoder/render/render_number.h"

#define EXPONENT_MAX 8 /* "p-16494" */
#define HEX_DIGITS_MAX                                                         \
	29 /* of binary128, the one before the point included                  \
	    */

struct hex_number {
	uint8_t digits[HEX_DIGITS_MAX]; /* values; the first before the point */
	int fraction;			/* how many there are behind it */
	int exponent;
};

static uint8_t hex_digit(const struct render_binary *binary, int index)
{
	if (index >= 16)
		return binary->high >> (4 * index - 64) & 15;
	return binary->low >> 4 * index & 15;
}

static void take_digits(
	struct hex_number *hex, const struct render_number *number)
{
	const struct render_binary *binary = &number->binary;
	int i;

	hex->fraction = number->fraction;
	for (i = 0; i <= hex->fraction; i++)
		hex->digits[i] = hex_digit(binary, hex->fraction - i);
	hex->exponent = binary->exponent + 4 * hex->fraction;
	if (binary->high == 0 && binary->low == 0)
		hex->exponent = 0;
}

static void drop_zeros(struct hex_number *hex)
{
	while (hex->fraction > 0 && hex->digits[hex->fraction] == 0)
		hex->fraction--;
}

/* Half to even; a carry out of the first digit moves the exponent. */
static void round_digits(struct hex_number *hex, int keep)
{
	uint8_t next = hex->digits[keep + 1];
	bool rest = hex->digits[keep] & 1;
	int i;

	for (i = keep + 2; i <= hex->fraction; i++)
		rest = rest || hex->digits[i] != 0;
	hex->fraction = keep;
	if (next < 8 || (next == 8 && !rest))
		return;
	for (i = keep; i > 0 && hex->digits[i] == 15; i--)
		hex->digits[i] = 0;
	if (++hex->digits[i] == 16) {
		hex->digits[i] = 1;
		hex->exponent += 4;
	}
}

static size_t write_exponent(char text[EXPONENT_MAX], bool upper, int exponent)
{
	char *end = text + EXPONENT_MAX;
	char *at = render_integer_write(
		end, (uint64_t)(exponent < 0 ? -exponent : exponent));

	*--at = exponent < 0 ? '-' : '+';
	*--at = upper ? 'P' : 'p';
	memmove(text, at, (size_t)(end - at));
	return (size_t)(end - at);
}

static void put_digits(
	struct render_piece *piece, const uint8_t *values, int count)
{
	const char *digits = piece->conversion == 'A' ? "0123456789ABCDEF"
						      : "0123456789abcdef";
	int i;

	for (i = 0; i < count; i++)
		render_buffer_put_byte(piece->out, digits[values[i]]);
}

static void put_number(
	struct render_piece *piece, const struct hex_number *hex, bool negative)
{
	bool upper = piece->conversion == 'A';
	bool zeros =
		piece->flags & FORMAT_ZERO && !(piece->flags & FORMAT_MINUS);
	char sign = render_piece_sign(piece, negative);
	int64_t precision =
		piece->precision < 0 ? hex->fraction : piece->precision;
	/* Here bytes are counted; for %e, %f and %g the point is one column. */
	size_t point = precision > 0 || piece->flags & FORMAT_ALTERNATE
			       ? strlen(piece->locale->decimal_point)
			       : 0;
	char exponent[EXPONENT_MAX];
	size_t exponent_size = write_exponent(exponent, upper, hex->exponent);
	int64_t total = (sign != 0) + 3 + (int64_t)point + precision +
			(int64_t)exponent_size;

	render_piece_begin(piece, total, zeros);
	if (sign != 0)
		render_buffer_put_byte(piece->out, sign);
	render_buffer_put(piece->out, upper ? "0X" : "0x", 2);
	if (zeros)
		render_piece_pad(piece, '0', piece->width - total);
	put_digits(piece, hex->digits, 1);
	if (point != 0)
		render_piece_put_point(piece);
	put_digits(piece, hex->digits + 1, hex->fraction);
	render_piece_pad(piece, '0', precision - hex->fraction);
	render_buffer_put(piece->out, exponent, exponent_size);
	render_piece_end(piece, total);
}

void render_hexfloat_put(
	struct render_piece *piece, const struct render_number *number)
{
	struct hex_number hex;

	/* glibc pads neither side when it would have to with zeros behind. */
	if (piece->behind == '0')
		piece->width = 0;
	take_digits(&hex, number);
	if (piece->precision < 0)
		drop_zeros(&hex);
	else if (piece->precision < hex.fraction)
		round_digits(&hex, (int)piece->precision);
	put_number(piece, &hex, number->negative);
}
