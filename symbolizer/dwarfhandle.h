/*
 * A file's DWARF as libdwarf holds it: the only file that sees the headers of
 * that library.  Shared by dwarfhandle, dwarfread and dwarfline, which are the
 * only callers of libdwarf.  Promises that every error object is released.
 */
#ifndef SYMBOLIZER_DWARFHANDLE_H
#define SYMBOLIZER_DWARFHANDLE_H

#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/rangelist.h"

#define DWARFHANDLE_SECTIONS 8

struct dwarfread {
	Dwarf_Debug debug;
	Dwarf_Obj_Access_Interface interface;
	void *data[DWARFHANDLE_SECTIONS];
	size_t bytes[DWARFHANDLE_SECTIONS];
	struct rangelist_sections lists;	/* not given to libdwarf */
};

/* Takes the error of a call away; true when there was none. */
static inline bool dwarfhandle_fine(
	struct dwarfread *reader, int result, Dwarf_Error *error)
{
	if (result == DW_DLV_ERROR) {
		dwarf_dealloc_error(reader->debug, *error);
		*error = NULL;
	}
	return result == DW_DLV_OK;
}

/* The entry at an offset; the caller releases it. */
static inline bool dwarfhandle_die(
	struct dwarfread *reader, uint64_t offset, Dwarf_Die *die)
{
	Dwarf_Error error = NULL;

	return dwarfhandle_fine(reader,
		dwarf_offdie_b(reader->debug, offset, 1, die, &error), &error);
}

#endif
