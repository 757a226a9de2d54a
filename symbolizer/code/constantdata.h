/*
 * What of an ELF file is loaded where nobody can write: its constant strings,
 * its code.  Called by whoever needs bytes by their address.  Promises to give
 * nothing of a section that is writable, and nothing beyond its end.
 */
#ifndef SYMBOLIZER_CONSTANTDATA_H
#define SYMBOLIZER_CONSTANTDATA_H

#include "symbolizer/elf/elffile.h"

struct constantdata {
	struct elffile *file; /* stays the caller's */
	uint8_t **sections;   /* null: not read yet, or not there */
	bool *tried;
	size_t last; /* section asked for last */
};

/* False when out of memory. */
bool constantdata_open(struct constantdata *data, struct elffile *file);
void constantdata_close(struct constantdata *data);

/*
 * The bytes at `address` and how many follow in the same section.  Null: there
 * are none.  Valid until constantdata_close().
 */
const uint8_t *constantdata_at(
	struct constantdata *data, uint64_t address, size_t *left);

/* Likewise a string, without its NUL.  Null: it does not end. */
const uint8_t *constantdata_string(
	struct constantdata *data, uint64_t address, size_t *bytes);

/* Likewise a wide one; *bytes is a multiple of 4. */
const uint8_t *constantdata_wide(
	struct constantdata *data, uint64_t address, size_t *bytes);

#endif
