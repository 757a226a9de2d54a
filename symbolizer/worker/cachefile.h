/*
 * The answers about one file that former runs have found, kept in a file of
 * their own.  Called by the symbolizer, before it asks for the first time and
 * when it ends.  Promises that what is read is what was written, for the same
 * question, and that no file which the answers came from has changed, come or
 * gone since; of a file that is damaged nothing is believed.
 */
#ifndef SYMBOLIZER_CACHEFILE_H
#define SYMBOLIZER_CACHEFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "symbolizer/symbolizer.h"
#include "symbolizer/worker/askedmodule.h"

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
 * Files that are not named as cachekey_make() does are left alone.
 */
void cachedirectory_trim(int directory, uint64_t bytes);

/* The build-id or "path", a hash of the text, and their NUL. */
#define CACHEKEY_NAME_MAX (2 * 64 + 1 + 16 + 1)

struct cachekey {
	char name[CACHEKEY_NAME_MAX]; /* of the file that the answers are in */
	char *text;
};

/* Whether so many bytes are a name that cachekey_make() can have given. */
bool cachekey_is_name(const char *name, size_t bytes);

/*
 * Fills a module that has no answers yet.  False when nothing is kept about
 * it; then it is empty still.
 */
bool cachefile_load(
	const struct symbolizer_options *options, struct askedmodule *module);

/* Keeps the answers of a module; what cannot be kept is not. */
void cachefile_save(const struct symbolizer_options *options,
	const struct askedmodule *module);

/*
 * The same with a file of so many bytes that is open at its start, and one that
 * is empty; `key` is the text of a cachekey.
 */
bool cachefile_read(FILE *file, uint64_t bytes, const char *key,
	struct askedmodule *module);
bool cachefile_write(
	FILE *file, const char *key, const struct askedmodule *module);

#endif
