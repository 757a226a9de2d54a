/*
 * Why a rule of --spans has found nothing: no message has such a format, or
 * none of these has such an argument; and what there is instead.  Filled by
 * spans.c once for each context.  Bounded: what is too much is not proposed.
 */
#ifndef DECODER_SPAN_REMARKS_H
#define DECODER_SPAN_REMARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"
#include "decoder/message/fields.h"
#include "decoder/query/span_rule.h"

#define SPAN_REMARKS_FORMATS 512
#define SPAN_REMARKS_NAMES 16

/* What was seen of the messages on one side of a rule. */
struct span_side {
	bool matched;
	bool has[SPAN_PARTS_MAX];	       /* what is compared */
	const char *names[SPAN_REMARKS_NAMES]; /* of their arguments */
	size_t name_count;
};

/* All zeros is nothing seen. */
struct span_remarks {
	struct span_side sides[SPAN_RULES_MAX][2]; /* that begin, that end */
	const char *formats[SPAN_REMARKS_FORMATS];
	size_t format_count;
	struct pool pool;
};

/* A format that there is, without the newline at its end. */
void span_remarks_add_format(
	struct span_remarks *remarks, const char *format, size_t bytes);

/* Messages that match: what they have of the parts, null where not. */
void span_remarks_add_match(struct span_remarks *remarks, size_t rule,
	bool ends, const struct fields *fields,
	const struct field *const has[SPAN_PARTS_MAX]);

/* Appends a sentence for each rule and side that found nothing. */
void span_remarks_put(const struct span_remarks *remarks,
	const struct span_rules *rules, struct render_buffer *out);

void span_remarks_free(struct span_remarks *remarks);

#endif
