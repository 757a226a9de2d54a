/*
 * How far binlog-pack has come, on one line of a terminal.  Called by main for
 * each message; costs nothing where there is no terminal, or little work.
 */
#ifndef TOOLS_PACK_PROGRESS_H
#define TOOLS_PACK_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/recording.h"

struct progress {
	bool wanted;
	bool shown; /* the line is there */
	uint32_t messages;
	uint64_t next;	/* nanoseconds: when it is to be drawn */
	uint64_t total; /* bytes of all captures */
	struct recording *const *captures;
	size_t count;
};

/* The captures stay the caller's. */
void progress_begin(struct progress *progress, bool wanted,
	struct recording *const *captures, size_t count);

void progress_draw(struct progress *progress);

static inline void progress_step(struct progress *progress)
{
	if (progress->wanted && ++progress->messages % 65536 == 0)
		progress_draw(progress);
}

/* Takes the line away. */
void progress_end(struct progress *progress);

#endif
