/*
 * The log statements of one module, each with the places in the source that it
 * is at: its own, and those of the functions that it was inlined into.  Called
 * by resolve.c.
 */
#ifndef TOOLS_CTL_RESOLVE_CALLS_H
#define TOOLS_CTL_RESOLVE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/symbolizer.h"

struct resolve_call {
	uint64_t address;
	uint64_t offset;  /* by which a process knows it; 0: it does not, */
	uint64_t through; /* it calls this function of the file, or 0: it is */
			  /* a jump */
};

/* Told of each statement: once per frame, then that it is done. */
struct resolve_watch {
	void (*frame)(void *closure, const struct symbolizer_frame *frame);
	void (*call)(void *closure, const struct resolve_call *call);
	void *closure;
};

/*
 * Null, or why there is no list of the file's statements, valid until the next
 * call of the symbolizer.
 */
const char *resolve_calls_watch(const char *path, struct symbolizer *symbolizer,
	const struct resolve_watch *watch);

#endif
