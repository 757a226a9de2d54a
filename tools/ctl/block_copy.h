/*
 * One block of a capture into a copy of it, while its thread goes on writing.
 * Called by snapshot.c.  Promises that the copy ends behind a whole record, and
 * that no block is copied that became another one meanwhile.
 */
#ifndef TOOLS_CTL_BLOCK_COPY_H
#define TOOLS_CTL_BLOCK_COPY_H

#include "decoder/capture/recording.h"

enum block_copy {
	BLOCK_COPY_DONE,
	BLOCK_COPY_GONE,   /* it was freed, or is another one by now */
	BLOCK_COPY_FAILED, /* errno */
};

struct block_copier {
	int from;
	int to;
	uint8_t *first; /* of BINLOG_BLOCK_MAX bytes each */
	uint8_t *second;
};

/* False: out of memory; to be ended all the same. */
bool block_copy_begin(struct block_copier *copier, int from, int to);

/* To the same place.  `open`: its thread may be writing to it. */
enum block_copy block_copy(struct block_copier *copier,
	const struct recording_block *block, bool open);

/* One of a ring: as it was when the capture was opened. */
enum block_copy block_copy_ring(struct block_copier *copier,
	struct recording *recording, const struct recording_block *block);

void block_copy_end(struct block_copier *copier);

#endif
