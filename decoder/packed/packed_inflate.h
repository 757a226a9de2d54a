/*
 * What is compressed in a packed log, back in full.  Called for the index and
 * the body of each batch, by all readers of a run with one state; never gives
 * more bytes than the record says and its caller allows.
 */
#ifndef DECODER_PACKED_INFLATE_H
#define DECODER_PACKED_INFLATE_H

#include "decoder/packed/packed_record.h"

/* All zeros is ready for use. */
struct packed_inflate {
	struct ZSTD_DCtx_s *context;
};

/* All zeros is empty; the memory is used again. */
struct packed_buffer {
	uint8_t *data;
	size_t room;
};

/*
 * The `size` bytes, at most `most`, that `bytes` hold with an enum
 * packed_compression.  False: they hold something else.
 */
bool packed_inflate(struct packed_inflate *inflate, uint64_t compression,
	struct packed_bytes bytes, uint64_t size, size_t most,
	struct packed_buffer *into);

void packed_inflate_free(struct packed_inflate *inflate);

#endif
