/*
 * The stubs through which a file calls functions of others: no symbol names
 * them, so their names come from the slot that each one jumps through and the
 * relocation of that slot.  Called by symtab.  Knows x86-64 and aarch64, and
 * promises the names that objdump gives, such as `printf@plt`.
 */
#ifndef SYMBOLIZER_PLTNAMES_H
#define SYMBOLIZER_PLTNAMES_H

#include "symbolizer/elf/elffile.h"

struct pltnames_stub {
	uint64_t address;
	uint64_t bytes;
	uint32_t section;
	uint32_t name; /* offset in `text` */
};

/* All zeros is empty. */
struct pltnames {
	struct pltnames_stub *stubs;
	size_t count;
	size_t room;
	char *text; /* the names, each with its NUL */
	size_t text_bytes;
	size_t text_room;
};

/* Adds the stubs of `file`.  False when out of memory. */
bool pltnames_read(struct pltnames *names, struct elffile *file);
void pltnames_free(struct pltnames *names);

#endif
