/*
 * Standard output of a tool, whoever has started it with which descriptors.
 * Called by mains, in one thread; says what is wrong on standard error.
 */
#ifndef TOOLS_STANDARD_OUTPUT_H
#define TOOLS_STANDARD_OUTPUT_H

#include <stdbool.h>

/*
 * To be called before anything is opened.  Where descriptor 0, 1 or 2 is
 * closed, one is put there that can't be read, or written, and that exec
 * closes: otherwise the next file that is opened would take its place, and
 * what is printed would go into that.
 */
void standard_output_guard(void);

/* Says that a write has failed, and why. */
void standard_output_lost(const char *command, const char *why);

/*
 * Writes what stdio has kept of standard output.  False: that, or an earlier
 * write, has failed, and a sentence of `command` has said why.
 */
bool standard_output_finish(const char *command);

/* --version: the release, and the version of `what` that the command knows. */
void standard_output_version(
	const char *command, const char *what, unsigned version);

#endif
