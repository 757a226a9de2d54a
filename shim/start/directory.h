/*
 * The directory of the captures: what was asked for, and where they go if that
 * cannot be written to (record/elsewhere.h).  Used while arming, and where the
 * library is run as a program.
 */
#ifndef SHIM_DIRECTORY_H
#define SHIM_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What the settings say, absolute.  *relative: it was not.  False: it is too
 * long, or there is no working directory; then `path` has what there is of it.
 */
bool directory_asked(char *path, size_t size, bool *relative);

/*
 * Place `place`, from 0 on, for what was to go to `asked`; what is above the
 * last part of `path` is made if need be, if `make`, and is this user's alone.
 * False: there is none, or it cannot be used.  Without `make`: what is not
 * there yet is no reason.
 */
bool directory_elsewhere(
	unsigned place, const char *asked, bool make, char *path, size_t size);

/* Nothing came of it: it is removed again, and what is above, if empty. */
void directory_leave(char *path);

#endif
