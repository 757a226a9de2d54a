/*
 * A follower's steps: what was packed gets into the log, with how far that is,
 * and only then captures are freed; and the files of its log, one after the
 * other.  Called by follow.c; says itself what goes wrong.  Promises that a
 * step which was not written to its end is as if it had not begun.
 */
#ifndef TOOLS_PACK_FOLLOW_STEP_H
#define TOOLS_PACK_FOLLOW_STEP_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/render_buffer.h"
#include "decoder/live/live.h"
#include "tools/pack/follow.h"

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

void follow_space_free(struct follow_space *space);

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

/* Cut behind the last whole step if the rest could not be written. */
void follow_log_close(struct follow_log *log);

struct follow {
	const struct follow_options *options;
	struct error_list errors; /* of this pass */
	bool damaged;
	struct live *live;
	struct follow_log log;
	struct follow_space space;
	struct pack *pack;
	int directory;	  /* open and locked, or -1 */
	uint64_t begun;	  /* CLOCK_MONOTONIC: the file of the log */
	uint64_t stepped; /* the last step */
	uint64_t synced;
	uint64_t alone; /* since when nobody is there; 0: somebody is */
	uint64_t messages;
	uint64_t bytes; /* of files before this one */
	bool told_waiting;
	bool told_space;
	bool failed;
	const volatile sig_atomic_t *stopped; /* not 0: it shall end */
	volatile sig_atomic_t *rotated;	      /* not 0: another file shall */
					      /* begin; set back to 0 then */
};

/* CLOCK_MONOTONIC, nanoseconds. */
uint64_t follow_step_now(void);

/* Less if a signal comes. */
void follow_step_sleep(int milliseconds);

/* One sentence; the second one says that it cannot go on, too. */
void follow_step_complain(
	const char *what, const char *why, const char *advice);
void follow_step_fail(struct follow *follow, const char *what, const char *why,
	const char *advice);
void follow_step_fail_memory(struct follow *follow);

/* Goes on with the log that is there, or begins it.  Before the first pass.
 * False: it has failed.  The same of all below. */
bool follow_step_open(struct follow *follow);

/*
 * Writes what was packed so far, and waits where the disk is full, until it is
 * stopped.  `whole`: a step ends here.
 */
bool follow_step_write(struct follow *follow, bool whole);

/* Between passes: all that was given out is packed, written and freed. */
bool follow_step(struct follow *follow);

/* The log's file is older than it may become. */
bool follow_step_is_too_old(const struct follow *follow);

/* After a step: another file if this one is large or old enough, or somebody
 * asks for it. */
bool follow_step_rotate(struct follow *follow);

/* After the last step: ends the log. */
bool follow_step_end(struct follow *follow);

#endif
