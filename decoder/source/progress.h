/*
 * How far a reader of captures has come, on one line of a terminal.  Called for
 * each message; costs nothing where there is no terminal, or little work.
 */
#ifndef DECODER_PROGRESS_H
#define DECODER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/capture/recording.h"

struct progress {
	bool wanted;
	bool shown; /* the line is there */
	uint32_t messages;
	uint64_t next;	/* nanoseconds: when it is to be drawn */
	uint64_t total; /* bytes of all captures */
	struct recording *const *captures;
	size_t count;
	const uint64_t
		*logs_read; /* bytes of packed logs; null: there are none */
};

/* The captures stay the caller's. */
void progress_begin(struct progress *progress, bool wanted,
	struct recording *const *captures, size_t count);

/* Packed logs as well, of which *read bytes have been read at any time. */
void progress_add_logs(struct progress *progress, const char *const *paths,
	size_t count, const uint64_t *read);

void progress_draw(struct progress *progress);

static inline void progress_step(struct progress *progress)
{
	if (progress->wanted && ++progress->messages % 65536 == 0)
		progress_draw(progress);
}

/* Takes the line away. */
void progress_end(struct progress *progress);

#endif
