/*
 * The debug information of one file, searched by address.  Called by the
 * symbolizer once per question that it has not answered lately.  Promises to
 * list the units once, and to read the contents of a unit only when an address
 * falls into it.
 */
#ifndef SYMBOLIZER_DEBUGINFO_H
#define SYMBOLIZER_DEBUGINFO_H

#include "symbolizer/dwarf/debugcalls.h"
#include "symbolizer/dwarf/line_table.h"
#include "symbolizer/dwarf/spanmap.h"
#include "symbolizer/elf/debugfile.h"
#include "symbolizer/elf/elffile.h"

struct debuginfo;

/*
 * What is known about an address: a row of the line table, then the functions
 * from the innermost to the outermost.  Valid until debuginfo_close().
 */
struct debuginfo_place {
	struct line_table *lines;
	struct dwarf_row row;
	bool has_row;
	struct dwarf_unit *unit; /* that has the entries of the functions */
	const struct debugunit_body *body; /* null: no function */
	uint32_t call;			   /* index of the present one in it */
	/* The .dwo file that would have told more; null: none is missing. */
	const char *missing;
};

/* One function, and the place in it. */
struct debuginfo_frame {
	const char *name; /* null: unknown */
	bool linkage;	  /* `name` is the name for the linker */
	bool inlined;	  /* into the next one */
	bool wrapper;	  /* takes a list of any arguments */
	uint64_t low;	  /* start of its first range; 0: unknown */
	const char *file; /* null: unknown */
	uint32_t line;	  /* 0: unknown */
	uint32_t column;
};

/*
 * Null when there is none (`*why` is null) or it cannot be used (`*why` says
 * why, a constant string).  Neither `file` nor `paths` is needed
 * afterwards, but the options are.
 */
struct debuginfo *debuginfo_open(
	struct elffile *file, const struct debugpaths *paths, const char **why);
void debuginfo_close(struct debuginfo *info);

/* False when no unit knows the address. */
bool debuginfo_find(struct debuginfo *info, uint64_t address,
	struct debuginfo_place *place);

/*
 * Tells the present function and goes on to the one that it was inlined into;
 * false when there is none, then the frame has file, line and column alone.
 */
bool debuginfo_next(struct debuginfo *info, struct debuginfo_place *place,
	struct debuginfo_frame *frame);

/*
 * Calls back for each call that is given the address `argument`, a constant
 * as the format of printf is one, in the units that have code at `within`.
 * False when the callback wanted no more.
 */
bool debuginfo_call_sites(struct debuginfo *info, uint64_t argument,
	uint64_t within, debugcalls_take *take, void *closure);

#endif
