/*
 * A file whose addresses are asked for, opened and checked, with its debug
 * information and its symbols.  Called by the symbolizer once per file.
 * Promises to use no file but the one that was recorded, and to say in one
 * sentence what is missing.
 */
#ifndef SYMBOLIZER_SYMBOLMODULE_H
#define SYMBOLIZER_SYMBOLMODULE_H

#include "symbolizer/code/callsites.h"
#include "symbolizer/dwarf/debuginfo.h"
#include "symbolizer/elf/symtab.h"
#include "symbolizer/symbolizer.h"

struct symbolmodule {
	char *path; /* null: known by its build-id alone */
	uint8_t *build_id;
	size_t build_id_bytes;
	uint64_t file_bytes;
	uint64_t content_hash;

	struct elffile file; /* the one that `symtab` belongs to */
	bool has_file;
	struct debuginfo *debuginfo; /* null: there is none */
	struct symtab symtab;
	enum symtab_sources sources;
	struct codejumps jumps; /* of `file` */
	char *complaint;	/* null: all is as it should be */
	char *name;		/* for sentences */
};

/*
 * Null when out of memory.  What cannot be opened is in `complaint`.  Debug
 * information is read from SYMTAB_ALL sources only.
 */
struct symbolmodule *symbolmodule_new(const struct symbolizer_module *wanted,
	const struct symbolizer_options *options, enum symtab_sources sources);
void symbolmodule_free(struct symbolmodule *module);

#endif
