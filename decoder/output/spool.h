/*
 * Bytes that are put together at any offset before they are given out: in
 * memory as long as there are few, then in a temporary file without a name.
 * Used by written.c.  The first failure sticks and is told at the end.
 */
#ifndef DECODER_SPOOL_H
#define DECODER_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/output/output.h"

struct spool {
	uint64_t size;
	char *data;	/* its last bytes, from `start` on */
	size_t room;	/* of data */
	uint64_t start; /* what is before it is in the file */
	int fd;		/* -1: there is no file */
	int failed;	/* errno, or 0 */
};

void spool_init(struct spool *spool);

/* What is between the end and a later offset becomes zeros. */
void spool_put(
	struct spool *spool, uint64_t offset, const char *bytes, size_t size);
void spool_resize(struct spool *spool, uint64_t size);

/* Bytes that are there.  False: errno says what failed, now or earlier. */
bool spool_get(struct spool *spool, uint64_t offset, char *bytes, size_t size);

/* All of it.  False: errno says what failed, now or earlier. */
bool spool_give_out(struct spool *spool, struct output *output);

void spool_free(struct spool *spool);

#endif
