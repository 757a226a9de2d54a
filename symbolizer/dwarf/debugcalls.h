/*
 * Calls that are given a constant address, as those of the printf family are
 * given their format.  Filled and asked by debuginfo.  Promises to list tail
 * calls too, which no return address leads to.
 */
#ifndef SYMBOLIZER_DEBUGCALLS_H
#define SYMBOLIZER_DEBUGCALLS_H

#include "symbolizer/dwarf/dwarf_reader.h"

struct debugcalls_site {
	uint64_t argument; /* the address that is given */
	uint64_t pc;	   /* behind the instruction; some compilers */
			   /* tell where it begins, if it is a jump */
};

/* Those of one unit.  All zeros is empty. */
struct debugcalls {
	struct debugcalls_site *sites; /* by argument, then by pc */
	size_t count;
	size_t room;
};

/* Return false to stop. */
typedef bool debugcalls_take(void *closure, const struct debugcalls_site *site);

/* Reads the sites of a loaded unit; false when out of memory. */
bool debugcalls_load(struct debugcalls *calls, struct dwarf_unit *unit);
void debugcalls_free(struct debugcalls *calls);

/*
 * Calls back for each site with this argument; false when the callback wanted
 * no more.
 */
bool debugcalls_each(const struct debugcalls *calls, uint64_t argument,
	debugcalls_take *take, void *closure);

#endif
