/*
 * Compresses what columns have become: bytes of many kinds, one after the
 * other.  Each kind gets a block of zstd with a code of its own; where one
 * ends is told by the bytes themselves.  Called by pack_columns.c.
 */
#ifndef DECODER_PACK_COMPRESS_H
#define DECODER_PACK_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/render_buffer.h"

struct pack_compress;

/* Null: out of memory. */
struct pack_compress *pack_compress_new(void);

/*
 * Each puts one frame of zstd into `to`, which is emptied before, of this level
 * or, if that is 0, in the way that is best for what it is.  That of bodies is
 * tried out, and remembered.  False: out of memory.
 */
bool pack_compress_index(struct pack_compress *compress,
	struct render_buffer *to, const struct render_buffer *from, int level);
bool pack_compress_body(struct pack_compress *compress,
	struct render_buffer *to, const struct render_buffer *from, int level);

/* Null is fine. */
void pack_compress_free(struct pack_compress *compress);

#endif
