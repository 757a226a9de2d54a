#include "decoder/render/render_fixed.h"

#include "base/digits.h"

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
