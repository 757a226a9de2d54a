/*
 * The capture files that a process has mapped, as the kernel tells it: also
 * those that it has inherited, that were deleted, or that it could not open
 * itself any more.  Called by targets.c.
 */
#ifndef TOOLS_CTL_MAPPINGS_H
#define TOOLS_CTL_MAPPINGS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/limits.h"

struct mapping {
	uint64_t inode;
	uint64_t bytes;	     /* of it that are mapped, all together */
	char file[64];	     /* /proc/PID/map_files/... of one piece */
	char path[PATH_MAX]; /* as the kernel says it: the name may be none */
};

/*
 * Fills in those whose name is that of a capture, each file once, and returns
 * how many.  -1: errno says why the process cannot be looked at.
 */
int mappings_of(
	pid_t process, struct mapping mappings[LIMITS_PROCESS_CAPTURES]);

/* Likewise out of what /proc/PID/maps holds, which stays the caller's. */
int mappings_read(FILE *maps, pid_t process,
	struct mapping mappings[LIMITS_PROCESS_CAPTURES]);

#endif
