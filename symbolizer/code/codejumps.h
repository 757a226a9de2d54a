/*
 * Jumps to functions that print, by the text that they hand on.  Asked by
 * tailcalls where the debug information does not list the calls of a function.
 * Promises to read the code of a file once.
 */
#ifndef SYMBOLIZER_CODEJUMPS_H
#define SYMBOLIZER_CODEJUMPS_H

#include "symbolizer/elf/elffile.h"

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

#endif
