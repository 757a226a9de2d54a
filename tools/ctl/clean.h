/*
 * Removes captures that nobody will ever write to again.  Called by binlog-ctl.
 * Promises never to touch a capture that a process still has open or mapped,
 * whatever namespace it lives in, a file that is no capture or not the
 * caller's own, or anything outside the directory.
 */
#ifndef TOOLS_CTL_CLEAN_H
#define TOOLS_CTL_CLEAN_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum clean_outcome {
#define OUTCOME(name, complains, why) CLEAN_##name,
#include "tools/ctl/clean_outcomes.def"
#undef OUTCOME
};

struct clean_request {
	const char *directory;
	time_t older_than; /* seconds since the last write, at least */
	bool dry_run;
	/* For each file whose name is that of a capture, in their order. */
	void (*tell)(void *closure, const char *name,
		enum clean_outcome outcome, uint64_t bytes);
	void *closure;
};

/*
 * Null, or why nothing was looked at (`errno` is it where that is an empty
 * string), and what can be done.  For CLEAN_FAILED `errno` tells why.
 */
const char *clean(const struct clean_request *request);

/* Whether it was left there against what was asked for. */
bool clean_complains(enum clean_outcome outcome);

/* Null: as errno says. */
const char *clean_why(enum clean_outcome outcome);

#endif
