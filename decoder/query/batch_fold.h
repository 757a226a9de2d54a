/*
 * Batches of packed logs, taken as columns where no message need be made: for
 * styles that add up.  A style sets `fold` of its settings' batches; filters
 * are decided here, column by column, and what they cannot decide without
 * messages is given out as messages.  Promises that both come to the same.
 */
#ifndef DECODER_BATCH_FOLD_H
#define DECODER_BATCH_FOLD_H

#include "decoder/capture/message.h"
#include "decoder/packed/packed_columns.h"

/* Messages of one batch with one context, no pieces and no events. */
struct batch_rows {
	struct message example; /* what is the same in all of them */
	struct packed_body *body;
	size_t site;
	size_t count;
	const uint8_t *chosen; /* null: all; else 1 for each that is */
	size_t chosen_count;
	const uint64_t *times; /* of each; null: not asked for */
};

struct batch_fold {
	/* Whether messages like this are of any use; null: all are. */
	bool (*needs)(void *closure, const struct message *example);
	/* Asked of all rows of a batch first; null: yes.  False: it wants the
	 * messages of this batch instead. */
	bool (*accepts)(void *closure, const struct batch_rows *rows);
	void (*take)(void *closure, const struct batch_rows *rows);
	void *closure;
	bool timed;   /* asks for the times; accepts() does not have them */
	bool ordered; /* and for rows of all sources in their order */
};

/* A packed_fold; the closure is a struct filter_batch. */
bool batch_fold_take(void *closure, struct packed_body *body);

/* Whether the rows are counted: see batch_rows.chosen. */
static inline bool batch_fold_has(const struct batch_rows *rows, size_t row)
{
	return !rows->chosen || rows->chosen[row];
}

#endif
