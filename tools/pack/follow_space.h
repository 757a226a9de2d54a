/*
 * Gives room on disk back that captures have used up to here, and hands the
 * same places of them to their programs again, so that captures do not grow.
 * Called by follow.c with what was packed and written; a block goes back the
 * way of record/prepared.h.
 * Promises that no program waits, and that killed at any moment it costs a few
 * places in the file and nothing else.
 */
#ifndef TOOLS_PACK_FOLLOW_SPACE_H
#define TOOLS_PACK_FOLLOW_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/live/live.h"

/* Where a block was that is not needed any more. */
struct follow_place {
	uint64_t offset;
	uint64_t bytes; /* that it may use */
	uint64_t block; /* bytes of the block whose header is still there */
	bool punched;	/* behind its first page */
};

struct follow_places {
	struct follow_place *all;
	size_t count;
	size_t room;
};

/* Those of one capture. */
struct follow_space_file {
	struct recording *recording;
	struct follow_places large;
	size_t ready; /* of them to be handed over; the others have just come */
	/* Smaller ones, which are holes in the file: until they are as large,
	 * or for ever. */
	struct follow_places small;
};

/* All zeros is empty, but for the first two. */
struct follow_space {
	struct live *live;
	uint64_t log; /* its number, for the captures; not 0 */
	struct follow_space_file *files;
	size_t count;
	size_t room;
	int failed; /* errno of what could not be done last, or 0 */
};

/* As live_take and live_take_all. */
void follow_space_take(void *closure, struct recording *recording,
	const struct recording_block *block, uint64_t bytes);
bool follow_space_take_all(void *closure, struct recording *recording);

/* After them: frees, and hands over. */
void follow_space_settle(struct follow_space *space);

void follow_space_free(struct follow_space *space);

#endif
