/*
 * The files that answers depend on: all that were opened, or looked for in
 * vain, to find them.  Called by the symbolizer, which notes them, and by its
 * cache, which asks whether they are still the same.  Promises that a file
 * installed, removed or replaced since then is noticed.
 */
#ifndef SYMBOLIZER_OPENEDLIST_H
#define SYMBOLIZER_OPENEDLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "symbolizer/files/openfile.h"

struct openedlist_file {
	char *root; /* null: none */
	char *path;
	struct openfile_identity identity;
};

/* All zeros is empty. */
struct openedlist {
	struct openedlist_file *files;
	size_t count;
	size_t room;
	bool incomplete; /* something could not be noted, or may change soon */
};

/*
 * Notes a file as it is now; to be called before it is opened.  One that has
 * changed just now may do so again without a trace, since its time is counted
 * in ticks: that makes the list incomplete.
 */
void openedlist_add(
	struct openedlist *list, const char *root, const char *path);

/* Adds what was noted by another process.  False when that cannot be. */
bool openedlist_put(struct openedlist *list, const char *root, const char *path,
	const struct openfile_identity *identity);

/* Whether each is what it was when it was noted. */
bool openedlist_is_unchanged(const struct openedlist *list);

/* Whether none of the files was there. */
bool openedlist_is_vain(const struct openedlist *list);

void openedlist_free(struct openedlist *list);

#endif
