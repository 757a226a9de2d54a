/*
 * Reads back what a follower has noted in a file of its log.  Called by
 * follow.c when it finds one.  Promises to take only what belongs to whole
 * steps, and to find it whatever else is damaged in the file.
 */
#ifndef TOOLS_PACK_FOLLOW_BACK_H
#define TOOLS_PACK_FOLLOW_BACK_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/live/live_past.h"

struct follow_found {
	bool is_empty;	/* there is no whole frame in it */
	bool is_ours;	/* it begins as follow_frames_begin() does */
	uint64_t whole; /* bytes up to the last whole step; 0: there is none */
	bool ended;	/* with an END behind that */
	/* The log that this is in, its part, and its messages up to there. */
	uint64_t log;
	uint64_t part;
	uint64_t messages;
};

/* False: it cannot be read, errno says why. */
bool follow_back_look(const char *path, struct follow_found *found);

/* What the steps that end before `whole` have noted.  Likewise. */
bool follow_back_recall(
	const char *path, uint64_t whole, struct live_pasts *pasts);

#endif
