/*
 * Where captures are that could not be written to the directory that was asked
 * for, see record/elsewhere.h: looked for by all that reads directories, and
 * made by binlog-run, which tells of it.
 */
#ifndef BASE_ELSEWHERE_PLACE_H
#define BASE_ELSEWHERE_PLACE_H

#include <limits.h>
#include <stdbool.h>

#include "record/elsewhere.h"

/*
 * Place `place`, from 0 on, of what was to go to `asked`, which may be relative
 * and need not be there.  False: there is nothing, or who looks cannot trust
 * it, since it is not this user's alone.
 */
bool elsewhere_place_find(
	unsigned place, const char *asked, char path[static PATH_MAX]);

/* Makes the first one that can be written to, as the library would.  False:
 * there is none. */
bool elsewhere_place_make(const char *asked, char path[static PATH_MAX]);

#endif
