#include <string.h>

#include "decoder/render/render_number.h"
#include "record/layout.h"

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
