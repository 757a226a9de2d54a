/*
 * The log of a follower: one file or, where it is rotated, one after another.
 * Called by follow.c.  What is written comes in steps, each of which ends with
 * a POSITION that says how far captures were read up to there; promises that a
 * file which is found again is cut behind the last step that is whole, so that
 * all files together have everything once.
 *
 *	LOG                without rotation
 *	LOG-000001.blog    with it, and so on; LOG without its own .blog
 */
#ifndef TOOLS_PACK_FOLLOW_LOG_H
#define TOOLS_PACK_FOLLOW_LOG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"

struct follow_log {
	const char *name; /* LOG */
	bool rotates;
	unsigned number; /* of the file, 0: it is LOG itself */
	char path[PATH_MAX];
	int fd;			  /* -1: none is open */
	uint64_t bytes;		  /* that it has */
	uint64_t whole;		  /* of these, in whole steps */
	struct render_buffer out; /* what follows */
	int failed;		  /* errno of the last write, or 0 */
};

/*
 * The newest file that is there: its path and number; false: there is none.
 * `below`: older than this one, 0 for the newest of all.
 */
bool follow_log_find(struct follow_log *log, unsigned below);

/*
 * Makes the file after the one that was found or written, or `again`, opens
 * that and cuts it off behind `bytes`.  False: errno says why not.
 */
bool follow_log_open_next(struct follow_log *log);
bool follow_log_open_again(struct follow_log *log, uint64_t bytes);

/* As pack_take: into `out`. */
bool follow_log_take(void *closure, const void *bytes, size_t size);

/*
 * Writes `out`; what could not be written stays there, and `failed` says why.
 * `whole`: it is the end of a step.
 */
bool follow_log_write(struct follow_log *log, bool whole);

/* Cut behind the last whole step if the rest could not be written. */
void follow_log_close(struct follow_log *log);

#endif
