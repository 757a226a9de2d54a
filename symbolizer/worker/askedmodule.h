/*
 * A file that the symbolizer has been asked about, and all that is known of it
 * on the asking side.  Called by the symbolizer, and by askedprogram.c.  Promises that two are
 * the same when everything by which files are told apart is the same.
 */
#ifndef SYMBOLIZER_ASKEDMODULE_H
#define SYMBOLIZER_ASKEDMODULE_H

#include "symbolizer/files/openfile.h"
#include "symbolizer/worker/wire.h"

struct askedmodule {
	struct symbolizer_module wanted; /* a copy */
	char *name;			 /* for sentences */
	bool calls; /* what its calls hand on, not what is at addresses */
	struct answerstore answers;
	size_t cached; /* so many of them are in the cache */
	struct openedlist opened;
	bool failed;		     /* there will be no answers */
	enum symtab_sources sources; /* all, until that costs a process */
	size_t whole;		     /* so many answers are from before that */
	char *complaint;	     /* of either; null when out of memory */
	bool reported;
	unsigned reader; /* that knows it, counted from 1; 0: none yet */
	size_t number;	 /* that it has there */
	struct wirenames_heard heard; /* from there */
};

/* Null when out of memory. */
struct askedmodule *askedmodule_new(const struct symbolizer_module *wanted);
void askedmodule_free(struct askedmodule *module);

bool askedmodule_is(const struct askedmodule *module,
	const struct symbolizer_module *wanted);

#endif
