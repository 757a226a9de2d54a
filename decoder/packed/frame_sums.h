/*
 * CRC-32 of any stretch of a window that moves on, without a look at more
 * than a few bytes of it.  Used by frame_scan.c where many overlapping
 * stretches are asked for.
 */
#ifndef DECODER_FRAME_SUMS_H
#define DECODER_FRAME_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many bytes before the stretch have to be in memory, too. */
#define FRAME_SUMS_STEP 8u

/* All zeros has none. */
struct frame_sums {
	uint64_t base;	/* offset of the first */
	uint32_t *sums; /* of what is between two offsets and some origin */
	size_t count;
	size_t room;
};

/*
 * CRC-32 of `size` bytes, at most PACKED_RECORD_MAX, at `bytes`, which are at
 * `offset` of the input.  Offsets never decrease.  False: out of memory.
 */
bool frame_sums_find(struct frame_sums *sums, const uint8_t *bytes,
	uint64_t offset, size_t size, uint32_t *sum);

void frame_sums_free(struct frame_sums *sums);

#endif
