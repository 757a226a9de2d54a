/*
 * The places that messages of two runs come from, told apart by what stays the
 * same when a program is built or started anew: the format, the function that
 * was called, the name of the program or library, and, where both runs have
 * names, the function that calls.  Filled and read by run_diff.c.  Bounded:
 * what is too much is counted as one site without a format.
 */
#ifndef DECODER_RUN_SITES_H
#define DECODER_RUN_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "base/pool.h"
#include "decoder/capture/message.h"
#include "decoder/names/places.h"

/* Values of an argument in one run. */
struct run_range {
	uint64_t count;
	double least;
	double most;
	double mean;
	double squares; /* of what they differ from the mean, added up */
};

struct run_argument {
	const char *name;
	struct run_range runs[2];
};

/* A function that calls. */
struct run_caller {
	struct run_caller *next;
	const char *function; /* null: not known */
	const char *file;     /* likewise */
	unsigned line;	      /* of the latest run in which there is one */
	uint64_t calls[2];
};

struct run_site {
	struct run_site *collides;
	uint32_t number;    /* from 0 */
	const char *format; /* null: there is none */
	size_t format_bytes;
	const char *function; /* of libc; "?" if not known */
	const char *module;   /* "?" if not known */
	uint64_t calls[2];
	struct run_caller *callers;
	size_t caller_count;
	size_t argument_count;
	struct run_argument arguments[];
};

struct run_sites {
	struct places *places; /* null: functions that call are not asked */
	struct id_map map;
	struct pool pool;
	struct run_site **all; /* by their numbers */
	size_t count;
	size_t room;
	struct run_site *rest; /* null: none yet */
	struct render_buffer scratch;
	bool failed; /* out of memory */
};

/* What a context says, once it is known: see struct definition_context. */
struct run_context {
	struct run_site *site;
	struct run_caller *caller;
};

/*
 * Counts a message of run 0 or 1; the site that it is from, or null: out of
 * memory.
 */
struct run_site *run_sites_add(
	struct run_sites *sites, const struct message *message, int run);

/* Whether all callers of the site have names in both runs. */
bool run_sites_knows_callers(const struct run_site *site);

/* Frees all but the places. */
void run_sites_free(struct run_sites *sites);

#endif
