/*
 * Answers questions by reading the files, in whichever process it is called.
 * Called by the symbolizer's worker, and by the symbolizer itself when it has
 * been asked to do without one.  Promises the answers of symbolizer.h, but
 * remembers none of them.
 */
#ifndef SYMBOLIZER_RESOLVER_H
#define SYMBOLIZER_RESOLVER_H

#include "symbolizer/elf/symtab.h"
#include "symbolizer/symbolizer.h"

struct resolver;

/* All valid until the next call for the same resolver. */
struct resolver_answer {
	const struct symbolizer_frame *frames; /* innermost first */
	size_t count;			       /* at least 1 */
	const char *sentence;		       /* null: nothing is missing */
};

/* Null when out of memory.  `options` as for symbolizer_new(). */
struct resolver *resolver_new(const struct symbolizer_options *options);
void resolver_free(struct resolver *resolver);

/*
 * Opens a file; the first one has the number 0.  Of SYMTAB_TABLES nothing is
 * read but tables of symbols.  False when out of memory.
 */
bool resolver_open(struct resolver *resolver,
	const struct symbolizer_module *wanted, enum symtab_sources sources);

/* Of an opened file, for sentences; valid as long as the resolver. */
const char *resolver_name(const struct resolver *resolver, size_t module);

/* False when out of memory.  `module` is the number of an opened file. */
bool resolver_find(struct resolver *resolver, size_t module, uint64_t address,
	struct resolver_answer *answer);

/* The same for symbolizer_resolve_named(). */
bool resolver_named(struct resolver *resolver, size_t module,
	const char *function, uint64_t offset, struct resolver_answer *answer);

/* The same for symbolizer_between(). */
bool resolver_between(struct resolver *resolver, size_t module,
	const struct symbolizer_gap *gap, struct resolver_answer *answer);

#endif
