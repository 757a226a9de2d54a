/*
 * The paths that binlog-run hands to the library: where captures go, where the
 * configuration comes from.  Called by main.  Promises to find out beforehand
 * what the library, which prints nothing, could only pass over in silence.
 */
#ifndef TOOLS_RUN_RUN_PATHS_H
#define TOOLS_RUN_RUN_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/program/preload.h"

/*
 * The same path from the root, whatever directory a program changes to.  The
 * caller's to free; null, with errno, on failure.
 */
char *run_paths_absolute(const char *path);

/*
 * Whether captures can go to an absolute path.  If there is nothing yet, the
 * library makes the directory, but none above it.
 */
bool run_paths_check_directory(const char *path, struct refusal *refusal);

bool run_paths_check_file(const char *path, struct refusal *refusal);

/* As the library would a little later, mode 0700 whatever the umask is.  What
 * is there already stays as it is. */
void run_paths_make_directory(const char *path);

/* How many entries the directory has; 0 when it cannot be read. */
size_t run_paths_count(const char *directory);

#endif
