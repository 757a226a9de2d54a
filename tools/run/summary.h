/*
 * What is said on a terminal when a program has ended: how much was recorded of
 * its run, where, how to read it, and what went wrong inside it.  Called by
 * end_watch.c, in a process of its own, since what it reads was written by
 * others.
 */
#ifndef TOOLS_RUN_SUMMARY_H
#define TOOLS_RUN_SUMMARY_H

#include <stdint.h>
#include <sys/types.h>

struct summary {
	const char *program;
	const char *directory; /* absolute */
	const char *shown;     /* the same as it was said; null: as usual */
	const char *output; /* standard output, a file whose text is in the */
			    /* capture; null: it is not, or no file */
	off_t output_bytes; /* of it at the start */
	int output_fd;
};

/* `run`: of the header of its capture; 0: it has none. */
void summary_say(const struct summary *summary, uint64_t run);

#endif
