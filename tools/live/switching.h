/*
 * Switches in one running capture: the control page of record/switches.h.
 * Called by binlog-ctl for each capture.  Promises that one binlog-ctl
 * switches at a time, that what is switched together is seen together, and
 * that no program waits for it.
 */
#ifndef TOOLS_CTL_SWITCHING_H
#define TOOLS_CTL_SWITCHING_H

#include "tools/live/changes.h"
#include "tools/live/targets.h"

enum switching_outcome {
#define OUTCOME(name, why) SWITCHING_##name,
#include "tools/live/switching_outcomes.def"
#undef OUTCOME
};

struct switching {
	struct binlog_header *page; /* mapped; null: nothing was switched */
	int writes;		    /* the capture, open for writing, or -1 */
	uint32_t version;	    /* that is to be applied */
};

/*
 * All of *changes at once.  Whatever comes of it, *switching is to be ended.
 * For SWITCHING_FAILED errno says why.
 */
enum switching_outcome switching_begin(struct switching *switching,
	const struct target *target, const struct changes *changes);

/* Null: as errno says. */
const char *switching_why(enum switching_outcome outcome);

/* Some process has seen the changes. */
bool switching_is_applied(const struct switching *switching);

/* The line of the rules at which the library has refused them, or 0. */
uint32_t switching_wrong_line(const struct switching *switching);

void switching_end(struct switching *switching);

#endif
