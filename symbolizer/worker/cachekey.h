/*
 * What the answers about a file depend on, beside the files that were read:
 * the file, the options, this program.  Called by cachefile.  Promises that
 * answers which may differ have different keys.
 */
#ifndef SYMBOLIZER_CACHEKEY_H
#define SYMBOLIZER_CACHEKEY_H

#include "symbolizer/symbolizer.h"

/* The build-id or "path", a hash of the text, and their NUL. */
#define CACHEKEY_NAME_MAX (2 * 64 + 1 + 16 + 1)

struct cachekey {
	char name[CACHEKEY_NAME_MAX]; /* of the file that the answers are in */
	char *text;
};

/*
 * False when nothing is to be kept: there is no directory for it, or this
 * program has no build-id, or memory is out.
 */
bool cachekey_make(struct cachekey *key,
	const struct symbolizer_options *options,
	const struct symbolizer_module *module);
void cachekey_free(struct cachekey *key);

/* Whether so many bytes are a name that cachekey_make() can have given. */
bool cachekey_is_name(const char *name, size_t bytes);

#endif
