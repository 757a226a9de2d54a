/*
 * Whether a function hands on what it was given.  Called by functionname for
 * each function that is named.  Promises to look at the parameters alone.
 */
#ifndef SYMBOLIZER_FUNCTIONPARAMETERS_H
#define SYMBOLIZER_FUNCTIONPARAMETERS_H

#include "base/id_map.h"
#include "symbolizer/dwarf/dwarf_reader.h"

/* The types that were looked at, as most parameters are of few. */
struct functionparameters_types {
	struct id_map known; /* by the place of the entry */
};

/*
 * True when it takes any number of arguments after a first one, a va_list, or a
 * pack of C++: who logs by such a function is its caller.  `types` is all zeros
 * at first.
 */
bool functionparameters_any(struct functionparameters_types *types,
	const struct dwarf_entry *function);

void functionparameters_free(struct functionparameters_types *types);

#endif
