/*
 * The functions of a file that say what they are given, though they do not pass
 * it to one that prints: what a program logs by, with a formatter of its own or
 * into a buffer first.  And the calls of them with constant texts: statements.
 * Called by callsites.c, which knows those who do pass it on.  Promises to take
 * for such a function only one from which a call that prints is near, and whose
 * argument is formatted, or is a format by what all its callers give it.
 */
#ifndef SYMBOLIZER_SAYERS_H
#define SYMBOLIZER_SAYERS_H

#include "symbolizer/code/codeflow.h"
#include "symbolizer/symbolizer.h"

/*
 * Calls back for each, by section and address, also for those that callsites.c
 * finds.  False when out of memory.
 */
bool sayers_each(struct codeflow *flow,
	void (*take)(void *closure, const struct symbolizer_call *call),
	void *closure);

#endif
