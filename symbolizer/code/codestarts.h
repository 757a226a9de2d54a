/*
 * Where the functions of an ELF file begin, by its symbols and its unwind
 * table, which stripped files have, too.  Called by codeflow.c, so that
 * instructions are read from where one surely begins.
 */
#ifndef SYMBOLIZER_CODESTARTS_H
#define SYMBOLIZER_CODESTARTS_H

#include "symbolizer/code/constantdata.h"

struct codestarts {
	uint64_t *addresses; /* ascending, each of them once */
	size_t count;
	size_t room;
};

/* False when out of memory; a damaged table has no starts. */
bool codestarts_load(struct codestarts *starts, struct constantdata *data);
void codestarts_free(struct codestarts *starts);

/* Index of the last start that is not after `address`, or `count`. */
size_t codestarts_index(const struct codestarts *starts, uint64_t address);

/* The last start that is not after `address`, or `least` if that is greater. */
uint64_t codestarts_before(
	const struct codestarts *starts, uint64_t address, uint64_t least);

/* The first start after `address`, or `most` if that is less. */
uint64_t codestarts_after(
	const struct codestarts *starts, uint64_t address, uint64_t most);

#endif
