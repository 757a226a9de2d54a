#include "decoder/query/column_values.h"

#include <string.h>

#include "record/layout.h"

void column_values_bits(struct column *column, int64_t *values, size_t count)
{
	uint64_t add = column->add;
	size_t i;

	if (column->stride == 0) {
		for (i = 0; i < count; i++, add += column->step)
			values[i] = (int64_t)(*column->at + add);
		column->add = add;
		return;
	}
	/* One that has values in memory does not step. */
	for (i = 0; i < count; i++)
		values[i] = (int64_t)(column->at[i] + add);
	column->at += count;
}

static void cut_to_32(int64_t *values, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		values[i] = (int32_t)values[i];
}

static void cut_to_unsigned_32(int64_t *values, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		values[i] = (uint32_t)values[i];
}

static void cut_to_size(
	const struct field *field, int64_t *values, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		values[i] =
			field_cut(values[i], field->conversion, field->size);
}

void column_values_integers(struct column *column, const struct field *field,
	int64_t *values, size_t count)
{
	column_values_bits(column, values, count);
	if (field->kind == BINLOG_ARG_I32)
		cut_to_32(values, count);
	if (field->size == FORMAT_INT && field->conversion != 'c' &&
		field->conversion != 'p') {
		if (!column_values_are_signed(field->conversion))
			cut_to_unsigned_32(values, count);
		return;
	}
	if (field->size != FORMAT_LONG || field->conversion == 'c')
		cut_to_size(field, values, count);
}

void column_values_floats(struct column *column, double *values, size_t count)
{
	int64_t bits[256];

	while (count > 0) {
		size_t piece = count < 256 ? count : 256;

		column_values_bits(column, bits, piece);
		memcpy(values, bits, piece * sizeof(*values));
		values += piece;
		count -= piece;
	}
}
