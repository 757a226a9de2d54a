/*
 * The frames at one address, put together from debug information and symbols.
 * Called by the symbolizer for an address that it has not answered lately.
 * Promises the functions, files and lines of `addr2line -if`.
 */
#ifndef SYMBOLIZER_ANSWER_H
#define SYMBOLIZER_ANSWER_H

#include "symbolizer/answers/symbolmodule.h"
#include "symbolizer/dwarf/functionname.h"

struct answer {
	struct symbolizer_frame *frames; /* innermost first */
	size_t count;			 /* at least 1 */
	size_t room;
	/* A file that would have told more; null: none is missing. */
	const char *missing;
};

/*
 * Fills an empty answer.  Names are demangled through `demangled`, or left as
 * they are when that is null.  The strings live in the module and in the
 * table.  False when out of memory.
 */
bool answer_find(struct answer *answer, struct symbolmodule *module,
	uint64_t address, struct functionname_table *demangled);
/*
 * The same for what is missing between two frames; nothing but an unknown
 * function when that is not known.
 */
bool answer_between(struct answer *answer, struct symbolmodule *module,
	const struct symbolizer_gap *gap, struct functionname_table *demangled);
void answer_free(struct answer *answer);

#endif
