/*
 * What is to be said of names in a condition that no format has: mostly they
 * are mistyped.  Filled while the condition is bound to formats, asked at the
 * end.  Private to the expression*.c files, but for expression_remarks() in
 * expression.h.
 */
#ifndef DECODER_EXPRESSION_REMARK_H
#define DECODER_EXPRESSION_REMARK_H

#include "base/suggest.h"
#include "decoder/query/expression.h"

struct expression_remark {
	bool met;	 /* a format has it */
	size_t distance; /* of the nearest name that one has; 0: none is near */
	char nearest[SUGGEST_LENGTH_MAX + 1];
};

/* The expression was bound to this format. */
void expression_remark_note(const struct expression *expression,
	const struct definition_string *format,
	const struct expression_binding *binding);

#endif
