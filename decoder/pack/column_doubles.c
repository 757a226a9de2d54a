#include "decoder/pack/column_doubles.h"

#include <string.h>

#include "base/power_of_ten.h"
#include "decoder/pack/column_shape.h"

#define SAMPLES 64u
#define EXPONENT_MAX 17u /* a double has no more digits behind the point */
/* Beyond this not every whole number is a double. */
#define WHOLE_MAX 9e15

/* The whole number that gives the value when divided.  False: there is none. */
static bool numerator_of(uint64_t value, double power, uint64_t *numerator)
{
	double number, scaled, again;
	uint64_t bits;
	int64_t whole;

	memcpy(&number, &value, sizeof(number));
	scaled = number * power;
	if (!(scaled > -WHOLE_MAX && scaled < WHOLE_MAX))
		return false;
	whole = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
	again = (double)whole / power;
	*numerator = (uint64_t)whole;
	memcpy(&bits, &again, sizeof(bits));
	return bits == value;
}

/* The least exponent that is good for most of some samples.  False: none. */
static bool find_exponent(
	const uint64_t *values, size_t count, unsigned *exponent)
{
	for (*exponent = 0; *exponent <= EXPONENT_MAX; ++*exponent) {
		double power = power_of_ten(*exponent);
		size_t good = 0;
		uint64_t numerator;
		size_t i;

		for (i = 0; i < SAMPLES && good + SAMPLES / 8 >= i; i++)
			good += numerator_of(
				values[i * count / SAMPLES], power, &numerator);
		if (good >= SAMPLES - SAMPLES / 8)
			return true;
	}
	return false;
}

/* The exceptions go to `out`, the numerators of the others to `group`. */
static void put_decimal(struct column_write *writer, struct render_buffer *out,
	const uint64_t *values, size_t count, unsigned exponent)
{
	double power = power_of_ten(exponent);
	uint64_t *numerators = writer->group;
	size_t exceptions = 0;
	size_t before = 0;
	size_t i;

	for (i = 0; i < count; i++)
		exceptions += !numerator_of(values[i], power, &numerators[i]);
	render_buffer_put_byte(out, (char)PACKED_DECIMAL);
	column_shape_put_number(out, exponent);
	column_shape_put_number(out, exceptions);
	for (i = 0; i < count; i++) {
		if (numerator_of(values[i], power, &numerators[i]))
			continue;
		numerators[i] = i > 0 ? numerators[i - 1] : 0;
		column_shape_put_number(out, i - before);
		column_shape_put_signed(out, values[i]);
		before = i;
	}
	column_write_numbers(writer, out, numerators, count);
}

void column_doubles_write(struct column_write *writer,
	struct render_buffer *out, const uint64_t *values, size_t count)
{
	size_t start = out->length;
	unsigned exponent;

	column_write_numbers(writer, out, values, count);
	if (count < SAMPLES || out->length - start <= count ||
		!find_exponent(values, count, &exponent) ||
		!column_write_reserve_group(writer, count))
		return;
	writer->other.length = 0;
	put_decimal(writer, &writer->other, values, count, exponent);
	column_write_keep_better(writer, out, start, &writer->other);
}
