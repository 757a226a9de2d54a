/*
 * The answers about one file that former runs have found, kept in a file of
 * their own.  Called by the symbolizer, before it asks for the first time and
 * when it ends.  Promises that what is read is what was written, for the same
 * question, and that no file which the answers came from has changed, come or
 * gone since; of a file that is damaged nothing is believed.
 */
#ifndef SYMBOLIZER_CACHEFILE_H
#define SYMBOLIZER_CACHEFILE_H

#include <stdio.h>

#include "symbolizer/worker/askedmodule.h"

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
