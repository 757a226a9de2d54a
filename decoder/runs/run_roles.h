/*
 * The threads of two runs, paired by what they are rather than by their
 * numbers: the how-manieth process with this name, and the how-manieth thread
 * in it with this name, in the order of their first messages.  Keeps for each
 * which sites the first run's messages came from, and where the second run's
 * are others.  Used by run_diff.c.  Bounded: what is too much is not compared.
 */
#ifndef DECODER_RUN_ROLES_H
#define DECODER_RUN_ROLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "base/pool.h"
#include "decoder/capture/message.h"

struct run_role {
	struct run_role *collides;
	struct run_role *next; /* in the order in which they were met */
	const char *program;
	uint32_t process; /* from 1 */
	const char *thread;
	uint32_t number;    /* from 1 */
	uint32_t *sites;    /* numbers of the first run's; owned */
	size_t room;	    /* of them */
	uint64_t counts[2]; /* messages */
	bool cut;	    /* not all sites of the first run are kept */
	bool differs;
	uint64_t at;	/* messages before the one that is another */
	uint64_t order; /* of all messages of the second run, likewise */
};

struct run_roles {
	struct id_map roles;   /* by what they are */
	struct id_map threads; /* by program and number, of this run */
	struct id_map processes;
	struct id_map counters;
	struct pool pool;     /* of the roles */
	struct pool run_pool; /* of the others */
	struct run_role *first;
	struct run_role *last;
	size_t count;
	size_t kept;	 /* sites, of all */
	uint64_t order;	 /* messages of this run so far */
	uint64_t missed; /* of both runs, which are not compared */
	int run;
	bool failed; /* out of memory */
};

/* Before the first message of run 0 or 1; to be called once for each reading.
 */
void run_roles_begin(struct run_roles *roles, int run);

/* Who says it.  Null: it is not compared. */
struct run_role *run_roles_find(
	struct run_roles *roles, const struct message *message);

/* Takes its next message, from this site. */
void run_roles_add(
	struct run_roles *roles, struct run_role *role, uint32_t site);

/* After the last message of run 1: what has stopped earlier differs, too. */
void run_roles_finish(struct run_roles *roles);

/* The one that differs first; null: none does. */
const struct run_role *run_roles_first_difference(
	const struct run_roles *roles);

void run_roles_free(struct run_roles *roles);

#endif
