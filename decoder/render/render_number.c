#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/digits.h"
#include "decoder/render/render_number.h"
#include "record/layout.h"

/*
 * A number with few places behind its point, rounded exactly as by printf:
 * one multiplication of 128 bits gives all of them and, below, what is left
 * for rounding.  Called by whoever prints "%.3f"; most numbers are such.
 */

__extension__ typedef unsigned __int128 uint128;

/* product / 2^bits; `odd`: the digit before is, when there is none in it. */
static uint64_t round_product(uint128 product, int bits, bool odd)
{
	const uint128 half = (uint128)1 << (bits - 1);
	uint64_t digits = (uint64_t)(product >> bits);
	uint128 rest = product & (half + (half - 1));

	return digits + (rest > half || (rest == half && odd));
}

/* The places of a number below 1, which bits of it are behind the point. */
static uint64_t take_places(
	uint64_t mantissa, int bits, uint64_t power, bool odd)
{
	uint128 product = (uint128)mantissa * power;

	/* A product has 121 bits: this is less than half of the last place. */
	if (bits > 127)
		return 0;
	if (power > 1)
		odd = product >> bits & 1;
	return round_product(product, bits, odd);
}

bool render_fixed_split(struct render_fixed *fixed, uint64_t mantissa,
	int exponent, unsigned int places)
{
	uint64_t power = places > 0 ? digits_powers[places] : 1;
	int bits = -exponent;
	uint64_t digits = 0;

	if (bits > 63) {
		fixed->integer = 0;
		digits = take_places(mantissa, bits, power, false);
	} else if (bits > 0) {
		fixed->integer = mantissa >> bits;
		digits = take_places(
			mantissa << (64 - bits), 64, power, fixed->integer & 1);
	} else if (exponent < __builtin_clzll(mantissa | 1)) {
		fixed->integer = mantissa << exponent;
	} else {
		return false;
	}
	if (digits == power) {
		digits = 0;
		fixed->integer++;
	}
	fixed->fraction = power + digits;
	return true;
}

/*
 * Binary fractions as exact decimal digits, rounded half to even.  Called by
 * the float renderers; no floating-point arithmetic, no memory of its own,
 * correct for every number up to binary128.
 */

#define LIMB_BITS 64
/* Of 2 to the 16384, and of 16494 bits behind the point; some to spare. */
#define LIMBS_MAX 264
#define CHUNK 10000000000000000000u /* what one step yields: 10^19 */
#define CHUNK_DIGITS 19
#define CHUNKS_MAX (LIMBS_MAX * LIMB_BITS / 63 + 1)
/* (2^128 - 1) / CHUNK - 2^64 */
#define CHUNK_INVERSE 15581492618384294730u

__extension__ typedef unsigned __int128 uint128;

/* limbs[first..count), the least significant one first; others are zero. */
struct limbs {
	int first;
	int count;
	uint64_t limb[LIMBS_MAX];
};

static uint64_t mantissa_limb(const struct render_binary *binary, int index)
{
	return index == 0 ? binary->low : index == 1 ? binary->high : 0;
}

/* The limb of the mantissa that begins at any bit, also beyond its ends. */
static uint64_t mantissa_bits(const struct render_binary *binary, int bit)
{
	/* Rounds down for negative ones too. */
	int index =
		(bit + 2 * LIMB_BITS * LIMBS_MAX) / LIMB_BITS - 2 * LIMBS_MAX;
	uint128 pair = mantissa_limb(binary, index) |
		       (uint128)mantissa_limb(binary, index + 1) << LIMB_BITS;

	return (uint64_t)(pair >> (bit - index * LIMB_BITS));
}

static void trim(struct limbs *limbs)
{
	while (limbs->count > 0 && limbs->limb[limbs->count - 1] == 0)
		limbs->count--;
}

static void load_integer(
	struct limbs *limbs, const struct render_binary *binary)
{
	int bits = 128 + binary->exponent;
	int i;

	limbs->first = 0;
	limbs->count = bits <= 0 ? 0 : (bits + LIMB_BITS - 1) / LIMB_BITS;
	for (i = 0; i < limbs->count; i++)
		limbs->limb[i] =
			mantissa_bits(binary, i * LIMB_BITS - binary->exponent);
	trim(limbs);
}

/* The last limb ends at the point. */
static void load_fraction(
	struct limbs *limbs, const struct render_binary *binary)
{
	int bits = binary->exponent < 0 ? -binary->exponent : 0;
	int i;

	limbs->first = 0;
	limbs->count = (bits + LIMB_BITS - 1) / LIMB_BITS;
	for (i = 0; i < limbs->count; i++)
		limbs->limb[i] = mantissa_bits(
			binary, bits - (limbs->count - i) * LIMB_BITS);
	while (limbs->first < limbs->count && limbs->limb[limbs->first] == 0)
		limbs->first++;
}

/*
 * The quotient of high * 2^64 + low by CHUNK, high being less than that; *rest
 * is what remains.  By multiplication, since processors divide slowly: Moeller
 * and Granlund, Improved division by invariant integers, algorithm 4.
 */
static uint64_t divide(uint64_t high, uint64_t low, uint64_t *rest)
{
	uint128 guess = (uint128)CHUNK_INVERSE * high +
			((uint128)high << LIMB_BITS | low);
	uint64_t quotient = (uint64_t)(guess >> LIMB_BITS) + 1;
	uint64_t left = low - quotient * CHUNK;
	uint64_t over =
		-(uint64_t)(left > (uint64_t)guess); /* as often as not */

	quotient += over;
	left += over & CHUNK;
	if (__builtin_expect(left >= CHUNK, 0)) {
		quotient++;
		left -= CHUNK;
	}
	*rest = left;
	return quotient;
}

/* Divides; returns the remainder. */
static uint64_t divide_chunk(struct limbs *limbs)
{
	uint64_t rest = 0;
	int i;

	for (i = limbs->count - 1; i >= 0; i--)
		limbs->limb[i] = divide(rest, limbs->limb[i], &rest);
	trim(limbs);
	return rest;
}

/* Multiplies; returns what has come before the point. */
static uint64_t multiply_chunk(struct limbs *limbs)
{
	uint128 carry = 0;
	int i;

	for (i = limbs->first; i < limbs->count; i++) {
		carry += (uint128)limbs->limb[i] * CHUNK;
		limbs->limb[i] = (uint64_t)carry;
		carry >>= LIMB_BITS;
	}
	while (limbs->first < limbs->count && limbs->limb[limbs->first] == 0)
		limbs->first++;
	return (uint64_t)carry;
}

static bool has_fraction(const struct limbs *limbs)
{
	return limbs->first < limbs->count;
}

/* Appends the digits of a chunk; zeros before the first digit move the point.
 */
static void append_chunk(struct render_decimal *decimal, uint64_t chunk)
{
	char digits[CHUNK_DIGITS];
	int skipped = 0;
	int i;

	for (i = CHUNK_DIGITS - 1; i >= 0; i--) {
		digits[i] = (char)('0' + chunk % 10);
		chunk /= 10;
	}
	if (decimal->count == 0)
		while (skipped < CHUNK_DIGITS && digits[skipped] == '0')
			skipped++;
	memcpy(decimal->digits + decimal->count, digits + skipped,
		(size_t)(CHUNK_DIGITS - skipped));
	decimal->count += CHUNK_DIGITS - skipped;
	decimal->point -= skipped;
}

static void append_integer(
	struct render_decimal *decimal, const struct render_binary *binary)
{
	uint64_t chunks[CHUNKS_MAX];
	struct limbs limbs;
	int count = 0;

	decimal->count = 0;
	decimal->carried = false;
	load_integer(&limbs, binary);
	while (limbs.count > 0)
		chunks[count++] = divide_chunk(&limbs);
	while (count > 0)
		append_chunk(decimal, chunks[--count]);
	decimal->point = decimal->count;
}

static bool rounds_up(
	const struct render_decimal *decimal, int64_t keep, bool rest)
{
	const char *digits = decimal->digits;
	int64_t i;

	if (digits[keep] != '5')
		return digits[keep] > '5';
	for (i = keep + 1; i < decimal->count && !rest; i++)
		rest = digits[i] != '0';
	return rest || (keep > 0 && digits[keep - 1] & 1);
}

/* Keeps so many digits; `rest`: there is more than the digits say. */
static void round_digits(
	struct render_decimal *decimal, int64_t keep, bool rest)
{
	int count;

	decimal->made = decimal->count;
	if (keep >= decimal->count)
		return;
	if (keep < 0 || !rounds_up(decimal, keep, rest)) {
		decimal->count = keep < 0 ? 0 : (int)keep;
		return;
	}
	count = (int)keep;
	while (count > 0 && decimal->digits[count - 1] == '9')
		count--;
	decimal->count = count;
	if (count > 0) {
		decimal->digits[count - 1]++;
		return;
	}
	decimal->digits[0] = '1';
	decimal->count = 1;
	decimal->point++;
	decimal->carried = true;
}

void render_decimal_places(struct render_decimal *decimal,
	const struct render_binary *binary, int64_t places)
{
	struct limbs fraction;
	int64_t ready = 0;

	append_integer(decimal, binary);
	load_fraction(&fraction, binary);
	for (; has_fraction(&fraction) && ready <= places;
		ready += CHUNK_DIGITS)
		append_chunk(decimal, multiply_chunk(&fraction));
	round_digits(decimal, decimal->point + places, has_fraction(&fraction));
}

void render_decimal_digits(struct render_decimal *decimal,
	const struct render_binary *binary, int64_t digits)
{
	struct limbs fraction;

	append_integer(decimal, binary);
	load_fraction(&fraction, binary);
	while (has_fraction(&fraction) && decimal->count <= digits)
		append_chunk(decimal, multiply_chunk(&fraction));
	round_digits(decimal, digits, has_fraction(&fraction));
}

static void decode_double(struct render_number *number, double value)
{
	uint64_t bits;
	int exponent;

	memcpy(&bits, &value, sizeof(bits));
	exponent = (int)(bits >> 52 & 0x7ff);
	number->negative = bits >> 63;
	number->fraction = 13;
	number->binary.high = 0;
	number->binary.low = bits & (((uint64_t)1 << 52) - 1);
	if (exponent == 0x7ff) {
		number->class = number->binary.low == 0 ? RENDER_NUMBER_INFINITE
							: RENDER_NUMBER_NAN;
		return;
	}
	if (exponent != 0)
		number->binary.low |= (uint64_t)1 << 52;
	else
		exponent = 1;
	number->binary.exponent = exponent - 1075;
}

/*
 * The 80 bits of x86.  The first bit of the mantissa is stored, so it can be
 * missing where it must be set; glibc prints "nan" for such encodings.
 */
static void decode_extended(struct render_number *number, const uint8_t *data)
{
	const uint64_t first = (uint64_t)1 << 63;
	uint64_t mantissa;
	uint16_t head;
	int exponent;

	memcpy(&mantissa, data, sizeof(mantissa));
	memcpy(&head, data + sizeof(mantissa), sizeof(head));
	exponent = head & 0x7fff;
	number->negative = head >> 15;
	number->fraction = 15;
	if (exponent == 0x7fff && mantissa == first)
		number->class = RENDER_NUMBER_INFINITE;
	else if (exponent == 0x7fff || (exponent != 0 && mantissa < first))
		number->class = RENDER_NUMBER_NAN;
	number->pseudo = exponent == 0 && mantissa >= first;
	if (exponent == 0)
		exponent = 1;
	number->binary.high = 0;
	number->binary.low = mantissa;
	number->binary.exponent = exponent - 16383 - 63;
}

static void decode_binary128(struct render_number *number, const uint8_t *data)
{
	uint64_t high;
	int exponent;

	memcpy(&number->binary.low, data, sizeof(high));
	memcpy(&high, data + sizeof(high), sizeof(high));
	exponent = (int)(high >> 48 & 0x7fff);
	number->negative = high >> 63;
	number->fraction = 28;
	number->binary.high = high & (((uint64_t)1 << 48) - 1);
	if (exponent == 0x7fff) {
		number->class = (number->binary.high | number->binary.low)
					? RENDER_NUMBER_NAN
					: RENDER_NUMBER_INFINITE;
		return;
	}
	if (exponent != 0)
		number->binary.high |= (uint64_t)1 << 48;
	else
		exponent = 1;
	number->binary.exponent = exponent - 16383 - 112;
}

void render_number_decode(
	struct render_number *number, const struct render_argument *argument)
{
	number->class = RENDER_NUMBER_FINITE;
	number->pseudo = false;
	if (argument->kind == BINLOG_ARG_F64)
		decode_double(number, argument->f64);
	else if (argument->binary128)
		decode_binary128(number, argument->data);
	else
		decode_extended(number, argument->data);
}

#define DIGITS_MAX 64	 /* of 64 bits in base 2 */
#define SEPARATOR_MAX 16 /* bytes of a separator that anybody uses */

char *render_integer_write(char *end, uint64_t value)
{
	unsigned int count = digits_count(value);

	digits_write_last(end - count, value, count);
	return end - count;
}

static char *write_binary(
	char *end, uint64_t value, unsigned int bits, const char *digits)
{
	do {
		*--end = digits[value & ((1u << bits) - 1)];
		value >>= bits;
	} while (value != 0);
	return end;
}

static char *write_digits(char *end, uint64_t value, char conversion)
{
	switch (conversion) {
	case 'x':
	case 'p':
		return write_binary(end, value, 4, "0123456789abcdef");
	case 'X':
		return write_binary(end, value, 4, "0123456789ABCDEF");
	case 'o':
		return write_binary(end, value, 3, "01234567");
	case 'b':
	case 'B':
		return write_binary(end, value, 1, "01");
	default:
		return render_integer_write(end, value);
	}
}

/* A group size that ends all grouping. */
static bool is_last_group(char size)
{
	return size == CHAR_MAX || (signed char)size <= 0;
}

bool render_integer_group_ends(
	const struct render_locale *locale, int64_t digits)
{
	const char *grouping = locale->grouping;

	if (is_last_group(*grouping))
		return false;
	while (digits > *grouping) {
		digits -= *grouping;
		if (grouping[1] == '\0')
			return digits % *grouping == 0;
		if (is_last_group(*++grouping))
			return false;
	}
	return digits == *grouping;
}

/* Copies the digits with separators between them; returns how many bytes. */
static size_t group_digits(const struct render_piece *piece, char *to,
	const char *digits, size_t count)
{
	size_t size = strnlen(piece->locale->thousands, SEPARATOR_MAX);
	char *begin = to;
	size_t i;

	for (i = 0; i < count; i++) {
		if (i > 0 && render_integer_group_ends(
				     piece->locale, (int64_t)(count - i))) {
			memcpy(to, piece->locale->thousands, size);
			to += size;
		}
		*to++ = digits[i];
	}
	return (size_t)(to - begin);
}

/* What stands before the digits besides zeros. */
static size_t write_prefix(const struct render_piece *piece, char prefix[3],
	uint64_t value, bool negative)
{
	size_t size = 0;
	char c = piece->conversion;

	if (c == 'd' || c == 'p')
		prefix[0] = render_piece_sign(piece, negative);
	else
		prefix[0] = 0;
	if (prefix[0] != 0)
		size = 1;
	if (value == 0 || !(piece->flags & FORMAT_ALTERNATE || c == 'p') ||
		c == 'd' || c == 'u' || c == 'o')
		return size;
	prefix[size] = '0';
	prefix[size + 1] = c == 'p' ? 'x' : c;
	return size + 2;
}

/* How many zeros the precision asks for before so many bytes of digits. */
static int64_t count_zeros(const struct render_piece *piece, size_t size)
{
	int64_t zeros = piece->precision - (int64_t)size;

	return zeros > 0 ? zeros : 0;
}

/* In "%#o" one zero must be there; 0 itself has it unless "%#.0o". */
static bool needs_zero(
	const struct render_piece *piece, uint64_t value, size_t size)
{
	return piece->conversion == 'o' && piece->flags & FORMAT_ALTERNATE &&
	       piece->precision <= (int64_t)size && (value != 0 || size == 0);
}

static void put_general(struct render_piece *piece, uint64_t value,
	bool negative, const char *digits, size_t size)
{
	bool pad_zeros = piece->flags & FORMAT_ZERO && piece->precision < 0;
	char grouped[DIGITS_MAX * (1 + SEPARATOR_MAX)];
	char prefix[3];
	size_t prefix_size = write_prefix(piece, prefix, value, negative);
	int64_t zeros;
	int64_t total;
	bool zero;
	size_t first;

	if (value == 0 && piece->precision == 0)
		size = 0;
	if (piece->flags & FORMAT_GROUP && piece->conversion != 'p') {
		size = group_digits(piece, grouped, digits, size);
		digits = grouped;
	}
	zeros = count_zeros(piece, size);
	zero = needs_zero(piece, value, size);
	total = (int64_t)(prefix_size + size + zero) + zeros;
	if (piece->flags & FORMAT_MINUS)
		pad_zeros = false;
	render_piece_begin(piece, total, pad_zeros);
	for (size_t i = 0; i < prefix_size; i++)
		render_buffer_put_byte(piece->out, prefix[i]);
	if (pad_zeros && piece->width > total)
		zeros += piece->width - total;
	render_piece_pad(piece, '0', zeros);
	first = render_buffer_pieces(piece->out);
	if (zero)
		render_buffer_put_byte(piece->out, '0');
	render_buffer_put(piece->out, digits, size);
	render_buffer_join(piece->out, first, false);
	render_piece_end(piece, total);
}

void render_integer_put(
	struct render_piece *piece, uint64_t value, bool negative)
{
	char text[DIGITS_MAX + 1];
	char *end = text + sizeof(text);
	char *at = write_digits(end, value, piece->conversion);

	if (piece->flags == 0 && piece->width == 0 && piece->precision < 0 &&
		piece->conversion != 'p') {
		if (negative)
			render_buffer_put_byte(piece->out, '-');
		render_buffer_put(piece->out, at, (size_t)(end - at));
		return;
	}
	put_general(piece, value, negative, at, (size_t)(end - at));
}
