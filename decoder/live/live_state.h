/*
 * What a directory that is followed is known to have.  Shared by live.c, which
 * finds the captures, live_order.c, which merges their messages, and
 * live_save.c, which lets go of what was read; nobody else looks inside.
 */
#ifndef DECODER_LIVE_STATE_H
#define DECODER_LIVE_STATE_H

#include <sys/types.h>
#include <time.h>

#include "decoder/live/live.h"
#include "decoder/live/live_capture.h"

/* A file that is not a capture, and is not looked at again. */
struct stranger {
	dev_t device;
	ino_t inode;
};

struct live {
	const char *directory;
	const char *only; /* of the captures in it; null: all */
	uint64_t guard;	  /* see live_set_guard() */
	struct error_list *errors;
	struct live_pasts pasts;
	struct live_capture **captures;
	size_t count;
	size_t room;
	size_t most;		       /* that can be open */
	struct live_capture **retired; /* are not looked at again */
	size_t retired_count;
	struct stranger *strangers;
	size_t stranger_count;
	struct timespec scanned; /* the directory's time then */
	bool skipped;		 /* a file, the last time */
	bool seen_any;
	bool failed;
	bool by_wall;
	struct live_writer **heap;
	size_t heap_count;
	size_t heap_room;
	bool delivered; /* the message of the top */
	bool busy;
	/* What is later than this was said after: */
	uint64_t limit_ticks;
	uint64_t limit_wall;
	uint64_t sampled_at; /* CLOCK_MONOTONIC, of the following */
	uint64_t sampled_ticks;
	uint64_t sampled_wall;
};

#endif
