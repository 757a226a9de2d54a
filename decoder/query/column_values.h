/*
 * The values of a column of arguments, as their directive prints them.  Used
 * where columns are summed up without making messages.
 */
#ifndef DECODER_COLUMN_VALUES_H
#define DECODER_COLUMN_VALUES_H

#include "decoder/message/fields.h"
#include "decoder/packed/column_read.h"

/* Whether all values are the same. */
static inline bool column_values_are_constant(const struct column *column)
{
	return column->stride == 0 && column->step == 0;
}

/* Whether what field_cut() gives is an int64_t, else a uint64_t. */
static inline bool column_values_are_signed(char conversion)
{
	return conversion == 'd' || conversion == 'm';
}

/*
 * The next `count` values of I32 or I64, those that are not signed as the bits
 * of a uint64_t.
 */
void column_values_integers(struct column *column, const struct field *field,
	int64_t *values, size_t count);

/* The next ones as they are: of F64 the bits of doubles. */
void column_values_bits(struct column *column, int64_t *values, size_t count);

/* Of F64. */
void column_values_floats(struct column *column, double *values, size_t count);

#endif
