/*
 * Conditions on arguments that are columns of numbers: many messages at once.
 * Asked where messages are not made; promises the same answers as
 * expression_is_true().
 */
#ifndef DECODER_EXPRESSION_COLUMNS_H
#define DECODER_EXPRESSION_COLUMNS_H

#include "decoder/packed/packed_columns.h"
#include "decoder/query/expression.h"

/*
 * Of which messages of the site it is true: 1 for each, others are left as
 * they are.  False: it cannot be told, since it is about texts, or for lack of
 * memory.
 */
bool expression_columns_choose(const struct expression *expression,
	const struct expression_binding *binding, struct packed_body *body,
	size_t site, uint8_t *chosen);

#endif
