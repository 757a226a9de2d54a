/*
 * What a capture that grows has in it: how many calls, of which threads, from
 * where.  Called by status.c, twice, so that what is said now is known, too.
 * Reads what is there and waits for nothing.
 */
#ifndef TOOLS_CTL_STATUS_COUNT_H
#define TOOLS_CTL_STATUS_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/live_capture.h"
#include "tools/ctl/targets.h"

/* Beyond it a pass is left unfinished: it is a file of many gigabytes. */
#define STATUS_COUNT_NS 5000000000u

struct status_thread {
	uint32_t pid;
	uint32_t tid;
	char name[17];
	uint64_t calls;
	uint64_t recent; /* of these in the second pass; of a ring: all */
};

/* A place in a program that calls. */
struct status_site {
	const struct program *program; /* null: unused; not to be looked at */
	uint64_t pc;
	char *module;	 /* path; null: in no file that is known, and then */
	uint64_t offset; /* of the call in it, or its address */
	char *called;	 /* the function; may be null, as the format */
	char *format;
	size_t format_bytes;
	uint64_t calls;
	uint64_t recent;
	uint64_t bytes; /* in the capture, with definitions */
};

struct status_count {
	const char *path;
	struct live_capture *capture; /* null: it has a ring */
	struct error_list errors;
	struct status_thread *threads;
	size_t thread_count;
	struct status_site *sites; /* a hash table, then by calls */
	size_t site_count;
	size_t site_room; /* a power of two, or none */
	uint64_t calls;
	uint64_t recent;
	uint64_t bytes;
	uint64_t oldest; /* nanoseconds since 1970; 0: nothing was said */
	uint64_t newest;
	/* The recent ones came between these: the ends of both passes, or the
	 * times of what is in a ring.  Nanoseconds. */
	uint64_t begun;
	uint64_t ended;
	unsigned passes;
	uint64_t passed; /* in the header and all blocks */
	uint64_t dropped;
	bool has_ring;
	uint64_t ring_bytes;
	uint64_t ring_span; /* nanoseconds of which nothing is missing; */
			    /* UINT64_MAX: nothing was overwritten */
	bool unfinished;    /* there is more than was read */
	bool failed;	    /* out of memory, or it cannot be read */
};

/* To be freed whatever comes of it. */
void status_count_begin(
	struct status_count *count, const struct target *target);

/* All that is new since the last pass. */
void status_count_pass(struct status_count *count);

/* The busiest sites come first; no more passes. */
void status_count_sort(struct status_count *count);

void status_count_free(struct status_count *count);

#endif
