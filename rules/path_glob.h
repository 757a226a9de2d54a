/*
 * Globs that choose files by their paths.  Called by the capturing side, to
 * find out which files to record, and by the reading side, to find them again,
 * so both agree.  Freestanding: no libc call, no allocation, no recursion;
 * the time grows with the product of both lengths at most.
 */
#ifndef RULES_PATH_GLOB_H
#define RULES_PATH_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the glob of `bytes` bytes matches an absolute path.  `*` and `?`
 * and `[a-z]`, `[!a-z]` stand for anything but '/', `**` for anything, "**" and
 * a '/' also for nothing, '\' takes what follows literally.  A glob that does
 * not begin with '/' matches the end of the path, from the beginning of a
 * component on: without any '/', the last component.  The empty one matches
 * nothing.
 */
bool path_glob_matches(const char *glob, size_t bytes, const char *path);

/* The length of its beginning that is plain and ends with '/', or 0. */
size_t path_glob_directory(const char *glob, size_t bytes);

#endif
