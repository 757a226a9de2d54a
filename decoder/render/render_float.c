#include <string.h>

#include "base/digits.h"
#include "decoder/render/render_number.h"

#define RENDER_HEXFLOAT_EXPONENT_MAX 8 /* "p-16494" */
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

static void hexfloat_drop_zeros(struct hex_number *hex)
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

static size_t hexfloat_write_exponent(
	char text[RENDER_HEXFLOAT_EXPONENT_MAX], bool upper, int exponent)
{
	char *end = text + RENDER_HEXFLOAT_EXPONENT_MAX;
	char *at = render_integer_write(
		end, (uint64_t)(exponent < 0 ? -exponent : exponent));

	*--at = exponent < 0 ? '-' : '+';
	*--at = upper ? 'P' : 'p';
	memmove(text, at, (size_t)(end - at));
	return (size_t)(end - at);
}

static void hexfloat_put_digits(
	struct render_piece *piece, const uint8_t *values, int count)
{
	const char *digits = piece->conversion == 'A' ? "0123456789ABCDEF"
						      : "0123456789abcdef";
	int i;

	for (i = 0; i < count; i++)
		render_buffer_put_byte(piece->out, digits[values[i]]);
}

static void hexfloat_put_number(
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
	char exponent[RENDER_HEXFLOAT_EXPONENT_MAX];
	size_t exponent_size =
		hexfloat_write_exponent(exponent, upper, hex->exponent);
	int64_t total = (sign != 0) + 3 + (int64_t)point + precision +
			(int64_t)exponent_size;

	render_piece_begin(piece, total, zeros);
	if (sign != 0)
		render_buffer_put_byte(piece->out, sign);
	render_buffer_put(piece->out, upper ? "0X" : "0x", 2);
	if (zeros)
		render_piece_pad(piece, '0', piece->width - total);
	hexfloat_put_digits(piece, hex->digits, 1);
	if (point != 0)
		render_piece_put_point(piece);
	hexfloat_put_digits(piece, hex->digits + 1, hex->fraction);
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
		hexfloat_drop_zeros(&hex);
	else if (piece->precision < hex.fraction)
		round_digits(&hex, (int)piece->precision);
	hexfloat_put_number(piece, &hex, number->negative);
}

#define EXPONENT_MAX 8 /* "e-4966" */
#define DEFAULT_PRECISION 6

/* How the digits will stand. */
struct float_layout {
	bool negative;
	bool exponent;	 /* "1.5e+00", otherwise "1.5" */
	int64_t integer; /* digits before the point, at least 1 */
	int64_t places;	 /* digits behind it */
};

static bool is_upper(const struct render_piece *piece)
{
	return piece->conversion <= 'Z';
}

static void put_special(
	struct render_piece *piece, const struct render_number *number)
{
	static const char *const names[] = {"inf", "nan", "INF", "NAN"};
	char sign = render_piece_sign(piece, number->negative);
	int64_t total = 3 + (sign != 0);

	piece->behind = ' ';
	render_piece_begin(piece, total, false);
	if (sign != 0)
		render_buffer_put_byte(piece->out, sign);
	render_buffer_put(piece->out,
		names[(is_upper(piece) ? 2 : 0) +
			(number->class == RENDER_NUMBER_NAN)],
		3);
	render_piece_end(piece, total);
}

/* The digits [from, to); zeros stand before the first and behind the last. */
static void put_digits(struct render_piece *piece,
	const struct render_decimal *decimal, int64_t from, int64_t to)
{
	if (from < 0) {
		render_piece_pad(piece, '0', (to < 0 ? to : 0) - from);
		from = 0;
	}
	if (from < decimal->count && from < to) {
		int64_t end = to < decimal->count ? to : decimal->count;

		render_buffer_put(piece->out, decimal->digits + from,
			(size_t)(end - from));
		from = end;
	}
	if (from < to)
		render_piece_pad(piece, '0', to - from);
}

static int64_t count_groups(
	const struct render_piece *piece, const struct float_layout *layout)
{
	int64_t groups = 0;
	int64_t i;

	if (!(piece->flags & FORMAT_GROUP) || *piece->locale->thousands == '\0')
		return 0;
	for (i = 1; i < layout->integer; i++)
		groups += render_integer_group_ends(piece->locale, i);
	return groups;
}

static void put_grouped(struct render_piece *piece,
	const struct render_decimal *decimal, int64_t from, int64_t to)
{
	int64_t i;

	for (i = from; i < to; i++) {
		if (i > from &&
			render_integer_group_ends(piece->locale, to - i))
			render_buffer_put(piece->out, piece->locale->thousands,
				strlen(piece->locale->thousands));
		put_digits(piece, decimal, i, i + 1);
	}
}

static size_t write_exponent(
	const struct render_piece *piece, char text[EXPONENT_MAX], int exponent)
{
	char *end = text + EXPONENT_MAX;
	char *at = render_integer_write(
		end, (uint64_t)(exponent < 0 ? -exponent : exponent));

	if (end - at < 2)
		*--at = '0';
	*--at = exponent < 0 ? '-' : '+';
	*--at = is_upper(piece) ? 'E' : 'e';
	memmove(text, at, (size_t)(end - at));
	return (size_t)(end - at);
}

static void put_number(struct render_piece *piece,
	const struct render_decimal *decimal, const struct float_layout *layout)
{
	int64_t point = layout->exponent ? 1 : decimal->point;
	bool has_point = layout->places > 0 || piece->flags & FORMAT_ALTERNATE;
	bool zeros =
		piece->flags & FORMAT_ZERO && !(piece->flags & FORMAT_MINUS);
	char sign = render_piece_sign(piece, layout->negative);
	int64_t groups = count_groups(piece, layout);
	size_t exponent_size = 0;
	char exponent[EXPONENT_MAX];
	int64_t total;
	size_t first;

	piece->digits -= (size_t)decimal->made < piece->digits
				 ? (size_t)decimal->made
				 : piece->digits;
	if (decimal->count == 0)
		point = 1;
	if (layout->exponent)
		exponent_size = write_exponent(piece, exponent,
			decimal->count == 0 ? 0 : decimal->point - 1);
	total = (sign != 0) + layout->integer + groups + has_point +
		layout->places + (int64_t)exponent_size;
	render_piece_begin(piece, total, zeros);
	if (sign != 0)
		render_buffer_put_byte(piece->out, sign);
	if (zeros)
		render_piece_pad(piece, '0', piece->width - total);
	first = render_buffer_pieces(piece->out);
	if (groups > 0)
		put_grouped(piece, decimal, point - layout->integer, point);
	else
		put_digits(piece, decimal, point - layout->integer, point);
	if (has_point)
		render_piece_put_point(piece);
	put_digits(piece, decimal, point, point + layout->places);
	render_buffer_put(piece->out, exponent, exponent_size);
	render_buffer_join(piece->out, first, true);
	render_piece_end(piece, total);
}

static int64_t precision_of(const struct render_piece *piece)
{
	return piece->precision < 0 ? DEFAULT_PRECISION : piece->precision;
}

static int64_t integer_digits(const struct render_decimal *decimal)
{
	return decimal->count > 0 && decimal->point > 1 ? decimal->point : 1;
}

static void put_fixed(
	struct render_piece *piece, const struct render_number *number)
{
	struct float_layout layout = {
		.negative = number->negative,
		.places = precision_of(piece),
	};
	struct render_decimal decimal;

	render_decimal_places(&decimal, &number->binary, layout.places);
	layout.integer = integer_digits(&decimal);
	put_number(piece, &decimal, &layout);
}

static void put_exponent(
	struct render_piece *piece, const struct render_number *number)
{
	struct float_layout layout = {
		.negative = number->negative,
		.exponent = true,
		.integer = 1,
		.places = precision_of(piece),
	};
	struct render_decimal decimal;

	render_decimal_digits(&decimal, &number->binary, layout.places + 1);
	put_number(piece, &decimal, &layout);
}

static void drop_zeros(struct render_decimal *decimal)
{
	while (decimal->count > 0 && decimal->digits[decimal->count - 1] == '0')
		decimal->count--;
}

/* %g: whichever is shorter, and zeros at its end only for '#'. */
static void put_shorter(
	struct render_piece *piece, const struct render_number *number)
{
	struct float_layout layout = {.negative = number->negative};
	int64_t digits = precision_of(piece);
	struct render_decimal decimal;
	int exponent;

	if (digits == 0)
		digits = 1;
	render_decimal_digits(&decimal, &number->binary, digits);
	exponent = decimal.count == 0 ? 0 : decimal.point - 1;
	layout.exponent = exponent < -4 || exponent >= digits;
	layout.integer = layout.exponent ? 1 : integer_digits(&decimal);
	if (!(piece->flags & FORMAT_ALTERNATE)) {
		drop_zeros(&decimal);
		digits = decimal.count;
	} else if (decimal.carried && exponent == digits) {
		/* glibc forgets the zeros of "%#.3g" with 999.9. */
		digits = 1;
	}
	layout.places = digits - 1 - (layout.exponent ? 0 : exponent);
	if (layout.places < 0)
		layout.places = 0;
	put_number(piece, &decimal, &layout);
}

static void put_short_digits(struct render_piece *piece,
	const struct render_fixed *fixed, unsigned int places)
{
	size_t first = render_buffer_pieces(piece->out);
	char text[DIGITS_U64_MAX];

	render_buffer_put(piece->out, text,
		(size_t)(digits_write(text, fixed->integer) - text));
	if (places == 0)
		return;
	render_piece_put_point(piece);
	digits_write_last(text, fixed->fraction, places);
	render_buffer_put(piece->out, text, places);
	render_buffer_join(piece->out, first, true);
}

/* The usual "%.3f" of a usual number.  False for any other. */
static bool put_short(
	struct render_piece *piece, const struct render_number *number)
{
	bool zeros =
		piece->flags & FORMAT_ZERO && !(piece->flags & FORMAT_MINUS);
	char sign = render_piece_sign(piece, number->negative);
	int64_t places = precision_of(piece);
	struct render_fixed fixed;
	int64_t total;

	if (piece->flags & (FORMAT_ALTERNATE | FORMAT_GROUP) ||
		places > RENDER_FIXED_PLACES || number->binary.high != 0 ||
		!render_fixed_split(&fixed, number->binary.low,
			number->binary.exponent, (unsigned int)places))
		return false;
	total = (sign != 0) + digits_count(fixed.integer) + (places > 0) +
		places;
	render_piece_begin(piece, total, zeros);
	if (sign != 0)
		render_buffer_put_byte(piece->out, sign);
	if (zeros)
		render_piece_pad(piece, '0', piece->width - total);
	put_short_digits(piece, &fixed, (unsigned int)places);
	render_piece_end(piece, total);
	return true;
}

static void put_any(
	struct render_piece *piece, const struct render_argument *argument)
{
	struct render_number number;

	render_number_decode(&number, argument);
	if (number.class != RENDER_NUMBER_FINITE) {
		put_special(piece, &number);
		return;
	}
	if (piece->conversion == 'a' || piece->conversion == 'A') {
		render_hexfloat_put(piece, &number);
		return;
	}
	/* The leading bit of a pseudo-denormal counts only in glibc's %a, */
	/* and where it is the only one. */
	if (number.pseudo && number.binary.low << 1 != 0)
		number.binary.low &= INT64_MAX;
	switch (piece->conversion) {
	case 'f':
	case 'F':
		if (!put_short(piece, &number))
			put_fixed(piece, &number);
		break;
	case 'e':
	case 'E':
		put_exponent(piece, &number);
		break;
	default:
		put_shorter(piece, &number);
	}
}

/* libc gives short numbers to the FILE byte by byte: __printf_fp(). */
void render_float_put(
	struct render_piece *piece, const struct render_argument *argument)
{
	struct render_pieces *pieces = piece->out->pieces;

	if (pieces)
		pieces->small = true;
	put_any(piece, argument);
	if (pieces)
		pieces->small = false;
}
