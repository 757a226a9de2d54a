/*
 * What a capture that grows has in it: how many calls, of which threads, from
 * where.  Called by status.c, twice, so that what is said now is known, too,
 * and by binlog-top over and over.  Reads what is there once, and waits for
 * nothing; its memory depends on how many places and threads there are, up to
 * a limit, and not on how much they say.
 */
#ifndef TOOLS_CTL_STATUS_COUNT_H
#define TOOLS_CTL_STATUS_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/live/live_capture.h"
#include "tools/live/targets.h"

/* Others than so many are counted all together. */
#define STATUS_COUNT_SITES ((size_t)1 << 16)
#define STATUS_COUNT_THREADS ((size_t)1 << 12)

struct status_thread {
	uint32_t pid;
	uint32_t tid;
	char name[17];
	uint64_t calls;
	uint64_t recent; /* of these in the last pass */
};

/* A place in a program that calls. */
struct status_site {
	const struct program *program; /* null: unused; not to be looked at */
	uint64_t pc;
	char *module;	   /* path; null: in no file that is known, and then */
	uint64_t offset;   /* of the call in it, or its address */
	uint8_t *build_id; /* of the module; may be null */
	size_t build_id_bytes;
	int level;    /* of the first message */
	char *called; /* the function; may be null, as the format */
	char *format;
	size_t format_bytes;
	uint64_t calls;
	uint64_t recent;
	uint64_t bytes; /* in the capture, with definitions; of a ring: 0 */
	uint64_t recent_bytes;
};

struct status_count {
	const char *path;
	struct live_capture *capture; /* null: it has a ring */
	struct error_list errors;
	struct status_thread *threads;
	size_t thread_count;
	struct status_thread other_threads;
	struct status_site *sites; /* a hash table, then by calls */
	size_t site_count;
	size_t site_room; /* a power of two, or none */
	struct status_site other_sites;
	uint64_t calls;
	uint64_t recent;
	uint64_t bytes;
	uint64_t recent_bytes;
	uint64_t oldest; /* nanoseconds since 1970; 0: nothing was said */
	uint64_t newest;
	/* The recent ones came between these: the beginnings of the last two
	 * passes; or, if not all was read, the times of what was, or a part of
	 * the former.  Nanoseconds. */
	uint64_t begun;
	uint64_t ended;
	unsigned passes;
	uint64_t passed; /* in the header and all blocks */
	uint64_t dropped;
	uint64_t left_passed; /* in blocks that are done with */
	uint64_t left_dropped;
	uint32_t *summed; /* of each writer: the next block that is not in these
			   */
	size_t summed_room;
	bool has_ring;
	uint64_t ring_bytes;
	uint64_t ring_span; /* nanoseconds of which nothing is missing; */
			    /* UINT64_MAX: nothing was overwritten */
	uint64_t looked;    /* when: monotonic, but wall time of a ring */
	uint64_t missed;    /* bytes that were freed unread, in the last pass */
	bool unfinished;    /* there is more than was read */
	bool was_unfinished; /* in the pass before */
	bool failed;	     /* out of memory, or it cannot be read */
};

/*
 * To be freed whatever comes of it.  `past` is what binlog-pack has noted of
 * the capture, parts of which it has freed; null: nothing.
 */
void status_count_begin(struct status_count *count, const struct target *target,
	const struct live_past *past);

/*
 * What is new since the last pass; left unfinished after so long, and gone on
 * with in the next one.
 */
void status_count_pass(struct status_count *count, uint64_t most_ns);

/* The busiest sites come first; no more passes. */
void status_count_sort(struct status_count *count);

void status_count_free(struct status_count *count);

#endif
