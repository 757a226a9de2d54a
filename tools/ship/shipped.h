/*
 * What was sent of a log, remembered beside it: the log itself is the queue.
 * Written before rows are sent and after they were acknowledged, so that a
 * shipper that is killed at any moment knows which rows may be on the server
 * already.  One thread.
 */
#ifndef TOOLS_SHIP_SHIPPED_H
#define TOOLS_SHIP_SHIPPED_H

#include <stdbool.h>
#include <stdint.h>

#define SHIPPED_SUFFIX ".shipped"
#define SHIPPED_SERVER_MAX 512u

struct shipped {
	char *path;
	bool known; /* it was there */
	uint64_t source;
	uint64_t acknowledged; /* messages before this one are on the server */
	uint64_t sending;      /* those before this one may be; or the same: */
	char request[64];      /* by the request of this name */
	bool rebooted;	 /* since it was written: it may be an older state */
	uint64_t bytes;	 /* of the log, when its end was reached */
	uint64_t device; /* of the file then, */
	uint64_t inode;
	uint64_t changed; /* and when it was, nanoseconds since 1970 */
	bool whole;	  /* likewise, and nobody writes to it any more */
	char server[SHIPPED_SERVER_MAX]; /* where they are */
};

/*
 * That of the log at `path`; in `directory`, or beside the log if that is null.
 * Null, or a sentence why it cannot be read.
 */
const char *shipped_read(
	struct shipped *shipped, const char *path, const char *directory);

/*
 * Null, or a sentence why it is not there.  It outlives any process, and is not
 * forced to the disk: after the machine has failed the server is asked.
 */
const char *shipped_write(const struct shipped *shipped);

void shipped_free(struct shipped *shipped);

#endif
