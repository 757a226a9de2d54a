/*
 * The names of functions, and what else does not depend on where they are
 * called.  Called by debuginfo to follow an entry to the one that has the name
 * (inlined call, abstract function, declaration in a class), and by the
 * symbolizer to demangle.  Promises to look at each entry and to demangle each
 * name once.
 */
#ifndef SYMBOLIZER_FUNCTIONNAME_H
#define SYMBOLIZER_FUNCTIONNAME_H

#include "base/id_map.h"
#include "base/pool.h"
#include "symbolizer/dwarf/functionparameters.h"

/* A table from an address in memory to names.  All zeros is empty. */
struct functionname_table {
	struct id_map known; /* to struct functionname */
	struct pool pool;
	struct functionparameters_types types;
};

struct functionname {
	const char *text; /* null: it has none */
	bool linkage;	  /* that is the name for the linker */
	bool wrapper;	  /* it takes a list of any arguments */
};

/*
 * The name of the function of `entry`, that for the linker if there is one;
 * the string lives in the sections.
 */
struct functionname functionname_of(
	struct functionname_table *table, const struct dwarf_entry *entry);

/*
 * The name that people read for a name that linkers read; `name` itself when
 * it is not mangled or memory is out.  `name` must stay where it is, the
 * answer lives in the table.
 */
const char *functionname_demangled(
	struct functionname_table *table, const char *name);

void functionname_free(struct functionname_table *table);

#endif
