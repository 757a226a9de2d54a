/*
 * The functions of one compilation unit, searched by address.  Filled and
 * asked by debuginfo.  Promises to look for what is inlined only in functions
 * that are asked about, and to find each of them once.
 */
#ifndef SYMBOLIZER_DEBUGUNIT_H
#define SYMBOLIZER_DEBUGUNIT_H

#include "symbolizer/dwarf/dwarf_reader.h"
#include "symbolizer/dwarf/spanmap.h"

/* A function, or a call that was inlined into one. */
struct debugunit_call {
	const uint8_t *entry;
	uint64_t low;	 /* start of its first range; 0: no range */
	uint32_t caller; /* index of what it was inlined into, or */
			 /* SPANMAP_NONE: it is the function */
	uint32_t depth;	 /* of the entry below that of the function */
};

/* A function with all that was inlined into it. */
struct debugunit_body {
	struct debugunit_call *calls; /* the first one is the function */
	size_t call_count, call_room;
	struct spanmap spans; /* to indexes of calls */
};

struct debugunit_function {
	const uint8_t *entry;
	struct debugunit_body *body; /* null: not asked about yet */
};

/* All zeros is a unit without functions. */
struct debugunit {
	struct dwarf_unit *unit; /* that has the entries */
	struct debugunit_function *functions;
	size_t function_count, function_room;
	struct spanmap spans; /* to indexes of functions */
};

/*
 * Looks for functions with code in a loaded unit; what lies below `floor` is
 * none.  False when out of memory.
 */
bool debugunit_load(
	struct debugunit *contents, struct dwarf_unit *unit, uint64_t floor);
void debugunit_free(struct debugunit *contents);

/* Null when no function is there, or memory is out. */
const struct debugunit_body *debugunit_body_at(
	struct debugunit *contents, uint64_t address);

#endif
