/*
 * Which batches of a packed log need not be decoded, or which of their
 * messages.  Called back by the reader of packed logs; promises that what is
 * shown is the same as without.
 */
#ifndef DECODER_FILTER_BATCH_H
#define DECODER_FILTER_BATCH_H

#include "decoder/packed/packed_batch.h"
#include "decoder/query/filter_rules.h"
#include "decoder/query/line_joiner.h"

struct batch_fold;

struct filter_batch {
	const struct filter_rules *rules;
	/* Of who shows whole lines; null: messages are chosen one by one. */
	const struct line_joiner *joiner;
	/* Of who takes batches as columns; null: see batch_fold.h. */
	const struct batch_fold *fold;
	bool statements; /* messages that hand on a text may become others */
	uint64_t passed; /* calls that were not given out */
};

/* Whether messages of a site may become others before they are asked for. */
static inline bool filter_batch_may_change(
	const struct filter_batch *filter, struct definition_context *context)
{
	return filter->statements &&
	       definition_says(context) != DEFINITION_SAYS;
}

/* A packed_wants; the closure is a struct filter_batch. */
bool filter_batch_wants(void *closure, struct packed_batch *batch);

#endif
