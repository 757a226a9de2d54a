#include "shim/writer/measure.h"

#include <float.h>

const uint64_t measure_powers[20] = {1u, 10u, 100u, 1000u, 10000u, 100000u,
	1000000u, 10000000u, 100000000u, 1000000000u, 10000000000u,
	100000000000u, 1000000000000u, 10000000000000u, 100000000000000u,
	1000000000000000u, 10000000000000000u, 100000000000000000u,
	1000000000000000000u, 10000000000000000000u};

/* A double (IEEE 754 binary64). */
#define DBL_MANTISSA_BITS 52
#define DBL_BIAS 1023
#define DBL_ONE ((uint64_t)1 << DBL_MANTISSA_BITS)

static uint64_t sign_extend(uint64_t value, unsigned bits)
{
	return (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

static uint64_t zero_extend(uint64_t value, unsigned bits)
{
	return value << (64 - bits) >> (64 - bits);
}

static uint64_t widen(uint64_t length, const struct plan_argument *argument,
	const struct measure_stars *stars)
{
	int64_t width = argument->width;

	if (stars->width != FORMAT_NONE)
		width = stars->width < 0 ? -(int64_t)stars->width
					 : stars->width;
	return width > 0 && (uint64_t)width > length ? (uint64_t)width : length;
}

/* Digits with the least number of them that the precision asks for. */
static uint64_t padded(uint64_t value, uint64_t digits, int64_t precision)
{
	if (precision < 0)
		return digits;
	if (value == 0 && precision == 0)
		return 0;
	return digits < (uint64_t)precision ? (uint64_t)precision : digits;
}

static uint64_t bare(
	const struct plan_argument *argument, uint64_t value, int64_t precision)
{
	uint64_t magnitude;

	switch (argument->measure) {
	case MEASURE_SIGNED:
		value = sign_extend(value, argument->bits);
		magnitude = (int64_t)value < 0 ? -value : value;
		return padded(value, measure_decimal(magnitude), precision) +
		       ((int64_t)value < 0 ||
			       argument->flags & (FORMAT_PLUS | FORMAT_SPACE));
	case MEASURE_UNSIGNED:
		value = zero_extend(value, argument->bits);
		return padded(value, measure_decimal(value), precision);
	case MEASURE_OCTAL:
		value = zero_extend(value, argument->bits);
		return padded(value, measure_digits(value, 3), precision);
	case MEASURE_HEX:
		value = zero_extend(value, argument->bits);
		return padded(value, measure_digits(value, 4), precision) +
		       (argument->flags & FORMAT_ALTERNATE && value ? 2 : 0);
	case MEASURE_POINTER:
		return value ? 2 + padded(value, measure_digits(value, 4),
					   precision)
			     : sizeof("(nil)") - 1;
	case MEASURE_CHARACTER:
		return 1;
	default: /* the "*" of "%*%", without effect */
		return 0;
	}
}

uint64_t measure_formatted(const struct plan_argument *argument, uint64_t value,
	const struct measure_stars *stars)
{
	int64_t precision = argument->precision;

	if (stars->precision != FORMAT_NONE)
		precision = stars->precision;
	return widen(bare(argument, value, precision), argument, stars);
}

/*
 * "%f": the digits of the integral part, unless rounding may add one more.
 * That is only possible where the next integer has more digits.
 */
static uint64_t fixed(const struct plan_argument *argument, uint64_t integral,
	bool negative, const struct measure_stars *stars)
{
	int64_t precision = argument->precision;
	uint64_t length = measure_decimal(integral);

	if (length != measure_decimal(integral + 1))
		return MEASURE_UNKNOWN;
	if (stars->precision != FORMAT_NONE)
		precision = stars->precision;
	if (precision < 0)
		precision = 6;
	length += precision > 0 ? 1 + (uint64_t)precision : 0;
	if (negative || argument->flags & (FORMAT_PLUS | FORMAT_SPACE))
		length++;
	return widen(length, argument, stars);
}

uint64_t measure_fixed(const struct plan_argument *argument, double value,
	const struct measure_stars *stars)
{
	uint64_t bits, integral;
	unsigned exponent;

	__builtin_memcpy(&bits, &value, sizeof(bits));
	exponent = bits >> DBL_MANTISSA_BITS & 0x7ff;
	if (exponent > DBL_BIAS + 49) /* 10^15 and more, or no number */
		return MEASURE_UNKNOWN;
	integral = exponent < DBL_BIAS
			   ? 0
			   : ((bits & (DBL_ONE - 1)) | DBL_ONE) >>
				     (DBL_BIAS + DBL_MANTISSA_BITS - exponent);
	return fixed(argument, integral, bits >> 63, stars);
}

#if LDBL_MANT_DIG == 64
/* x87: sign and exponent of 16 bits above a significand of 64. */
#define LDBL_BIAS 16383

uint64_t measure_fixed_long(const struct plan_argument *argument,
	const long double *value, const struct measure_stars *stars)
{
	uint64_t significand, integral;
	uint16_t head;
	unsigned exponent;

	__builtin_memcpy(&significand, value, sizeof(significand));
	__builtin_memcpy(
		&head, (const char *)value + sizeof(significand), sizeof(head));
	exponent = head & 0x7fff;
	/* 10^18 and more, no number, or none that the processor knows. */
	if (exponent > LDBL_BIAS + 59 || (exponent && !(significand >> 63)))
		return MEASURE_UNKNOWN;
	integral = exponent < LDBL_BIAS
			   ? 0
			   : significand >> (LDBL_BIAS + 63 - exponent);
	return fixed(argument, integral, head >> 15, stars);
}
#else
uint64_t measure_fixed_long(const struct plan_argument *argument,
	const long double *value, const struct measure_stars *stars)
{
	(void)argument, (void)value, (void)stars;
	return MEASURE_UNKNOWN;
}
#endif

static uint64_t digits_entry(unsigned bits)
{
	uint64_t least = bits ? (uint64_t)1 << (bits - 1) : 0;
	uint32_t digits = measure_decimal(least);
	uint64_t next = measure_powers[digits];

	/* Where some have one digit more they carry into the upper half. */
	if (bits && next < least * 2)
		return ((uint64_t)(digits + 1) << 32) - next;
	return (uint64_t)digits << 32;
}

void measure_prepare(struct measure_tables *tables)
{
	for (unsigned bits = 0; bits <= 32; bits++) {
		tables->digits[bits] = digits_entry(bits);
		tables->hex_digits[bits] = (uint64_t)(bits ? (bits + 3) / 4 : 1)
					   << 32;
	}
	for (unsigned top = 0; top < 64; top++) {
		uint64_t most = ~(uint64_t)0 >> (63 - top);
		uint32_t digits = measure_decimal(most);

		tables->exponents[top] = (uint8_t)(digits - 1);
		tables->powers[top] =
			digits > 1 ? measure_powers[digits - 1] : 0;
	}
}
