/*
 * Where a module is that is called by its name alone, as binlog-show calls it:
 * looked for as a shell and the loader would, see "Where files are looked for"
 * in binlog-symbolize(1).  Called by main.c and stack_text.c; bounded, however
 * many names there are.
 */
#ifndef TOOLS_MODULES_H
#define TOOLS_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include "symbolizer/symbolizer.h"

/* More names than that are looked for anew. */
#define MODULES_KEPT 256

struct modules_place {
	char *name;
	char *path; /* null: there is no such file */
	bool told;  /* what there is to say of it; for whoever asks */
};

/* All zeros but the options, which outlive it. */
struct modules {
	const struct symbolizer_options *options;
	struct modules_place kept[MODULES_KEPT]; /* by a hash of the name */
};

/* Valid until the next question.  Null: out of memory. */
struct modules_place *modules_find(struct modules *modules, const char *name);

void modules_free(struct modules *modules);

#endif
