/*
 * The calls in an ELF file of functions that print, and which texts they are
 * given.  Called for the index of log statements, and for the format at one
 * call.  Promises to need neither symbols nor debug information, and to call
 * a text what the code surely or possibly passes, never a guess by likeness.
 */
#ifndef SYMBOLIZER_CALLSITES_H
#define SYMBOLIZER_CALLSITES_H

#include "symbolizer/elf/elffile.h"
#include "symbolizer/symbolizer.h"

struct codejumps_jump {
	uint64_t address;
	uint8_t *text;
	size_t bytes;
};

/* All zeros is that of a file which has not been read. */
struct codejumps {
	bool loaded;
	struct codejumps_jump *jumps;
	size_t count;
	size_t room;
};

/*
 * Calls back for the address of each jump that surely hands on the text at
 * `argument` and no other.
 */
void codejumps_each(struct codejumps *jumps, struct elffile *file,
	uint64_t argument, void (*take)(void *closure, uint64_t address),
	void *closure);
void codejumps_free(struct codejumps *jumps);

typedef void callsites_take(void *closure, const struct symbolizer_call *call);

/*
 * Calls back for each, by section and address.  Returns null, or why there may
 * be others (a constant string).
 */
const char *callsites_list(
	struct elffile *file, callsites_take *take, void *closure);

#endif
