/*
 * The directory in which answers are kept from one run to the next.  Called by
 * cachefile.  Promises that nobody else can put anything into it, and that it
 * does not grow for ever.
 */
#ifndef SYMBOLIZER_CACHEDIRECTORY_H
#define SYMBOLIZER_CACHEDIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#define CACHEDIRECTORY_BYTES_MAX ((uint64_t)256 << 20)

/*
 * Opens it, and makes it and the directory that it is in, mode 0700, when
 * `make` is true and they are to be in a directory of this user.  Returns a
 * descriptor that the caller closes; -1 when there is none, or it is another
 * user's, or others can write to it or put another one in its place.
 */
int cachedirectory_open(const char *path, bool make);

/*
 * Removes the files that have not been used for the longest time until the
 * others occupy at most `bytes`, and what was begun long ago and not finished.
 * Files that are not named as cachekey.h does are left alone.
 */
void cachedirectory_trim(int directory, uint64_t bytes);

#endif
