/*
 * From the rows of pack_batch.c to a BATCH frame: who says what, as an index,
 * and the columns, both compressed.  Keeps nothing between two batches but
 * memory.
 */
#ifndef DECODER_PACK_COLUMNS_H
#define DECODER_PACK_COLUMNS_H

#include "decoder/pack/pack_batch.h"

/* Among the values: a null pointer. */
#define PACK_COLUMNS_NULL UINT64_MAX

struct pack_columns;

/* Null: out of memory. */
struct pack_columns *pack_columns_new(void);

/*
 * Appends a BATCH frame of rows[first..first + count), to which `stamp` of the
 * batch belongs alone.  False: its body or index would be too large, or
 * memory was out, and then `failed` of the batch says so.
 */
bool pack_columns_write(struct pack_columns *columns, struct pack_batch *batch,
	struct pack_define *define, uint32_t first, uint32_t count,
	uint64_t number);

/* Null is fine. */
void pack_columns_free(struct pack_columns *columns);

#endif
