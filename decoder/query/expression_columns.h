/*
 * Conditions on arguments that are columns of numbers: many messages at once.
 * Asked where messages are not made; promises the same answers as
 * expression_is_true().
 */
#ifndef DECODER_EXPRESSION_COLUMNS_H
#define DECODER_EXPRESSION_COLUMNS_H

#include "decoder/message/fields.h"
#include "decoder/packed/column_read.h"
#include "decoder/packed/packed_columns.h"
#include "decoder/query/expression.h"

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

/*
 * Of which messages of the site it is true: 1 for each, others are left as
 * they are.  False: it cannot be told, since it is about texts, or for lack of
 * memory.
 */
bool expression_columns_choose(const struct expression *expression,
	const struct expression_binding *binding, struct packed_body *body,
	size_t site, uint8_t *chosen);

#endif
