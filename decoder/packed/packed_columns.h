/*
 * A decoded batch as the columns that it is made of, for whoever can do
 * without messages: see batch_fold.h.  Called between packed_body_decode() and
 * the first packed_body_next(); sites are places in body->batch.sites, and
 * wanted.
 */
#ifndef DECODER_PACKED_COLUMNS_H
#define DECODER_PACKED_COLUMNS_H

#include "decoder/packed/packed_body.h"

/* A message of the site, without what is different in each. */
struct message packed_columns_example(
	const struct packed_body *body, size_t site);

/*
 * Of which sites a message goes on with the call of the one before it: 1 for
 * each.  Null: of none; or false, out of memory.
 */
bool packed_columns_pieces(struct packed_body *body, const uint8_t **sites);

/* All values of an argument, which is an I32, I64 or F64. */
struct column packed_columns_numbers(
	const struct packed_body *body, size_t site, size_t argument);

/*
 * The times of all messages, site by site; no messages can be read after it.
 * Valid until the next batch.  Null: out of memory.
 */
const uint64_t *packed_columns_times(struct packed_body *body);

/* No messages are given out. */
void packed_columns_end(struct packed_body *body);

/* Memory until then, aligned for a uint64_t.  Null: there is none, or too much
 * is taken. */
void *packed_columns_take(struct packed_body *body, size_t size);

#endif
