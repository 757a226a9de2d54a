/*
 * The index of a batch: who says what in it, for readers that look for
 * something, or have lost the definitions.  Called by pack_columns.c.
 */
#ifndef DECODER_PACK_INDEX_H
#define DECODER_PACK_INDEX_H

#include "decoder/pack/pack_batch.h"

/* What is in a batch: ids, in the order of their places. */
struct pack_index {
	uint32_t *sites;
	size_t site_count;
	uint32_t *threads;
	size_t thread_count;
	uint32_t first; /* rows */
	uint32_t count;
};

/* Appends it; entries have their counts. */
void pack_index_put(struct render_buffer *out, const struct pack_index *index,
	const struct pack_batch *batch, const struct pack_define *define);

#endif
