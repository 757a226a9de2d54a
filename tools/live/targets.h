/*
 * The captures that a word of binlog-ctl is about: those that a process writes
 * to, or those of a directory that somebody writes to.  Called by
 * binlog-ctl; promises that each is a capture that can be read, and is there
 * once.  One sentence says why there is none.
 */
#ifndef TOOLS_CTL_TARGETS_H
#define TOOLS_CTL_TARGETS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/limits.h"
#include "record/layout.h"

struct mapping {
	uint64_t inode;
	uint64_t bytes;	     /* of it that are mapped, all together */
	char file[64];	     /* /proc/PID/map_files/... of one piece */
	char path[PATH_MAX]; /* as the kernel says it: the name may be none */
};

/* Likewise out of what /proc/PID/maps holds, which stays the caller's. */
int mappings_read(FILE *maps, pid_t process,
	struct mapping mappings[LIMITS_PROCESS_CAPTURES]);

struct target {
	char path[PATH_MAX]; /* that it can be opened by while `fd` is open */
	char label[64];	     /* program[pid] */
	int fd;		     /* for reading */
	bool in_use;	     /* somebody may still write to it */
	bool executed; /* its program has executed another one: only children */
	/* that it had can write to it */
	struct binlog_header header;
};

struct targets {
	struct target *all;
	size_t count;
	pid_t process;	       /* 0: it is a directory */
	const char *directory; /* null: it is a process */
	bool ended;	       /* of a directory also those that have ended */
	char sentence[512];    /* what is wrong: why: what can be done */
};

/* How a place is said on the command line: digits are a process. */
bool targets_is_process(const char *place, pid_t *process);

/*
 * Opens what `place` stands for; of a directory also those that nobody writes
 * to any more if `ended`.  False: `sentence` says why there is none; what was
 * opened is to be closed all the same.
 */
bool targets_open(struct targets *targets, const char *place, bool ended);

/* Looks once more what is in a directory. */
bool targets_renew(struct targets *targets);

/* Asks once more whether somebody may still write to it. */
bool targets_ask_use(struct target *target);

void targets_close(struct targets *targets);

#endif
