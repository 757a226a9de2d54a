/*
 * Finds the separate file with the debug information of another file.  Called
 * by the symbolizer for files without DWARF, and for a build-id alone.
 * Promises that the file found belongs to the other one: by its build-id or by
 * the CRC32 that the other one carries.
 */
#ifndef SYMBOLIZER_DEBUGFILE_H
#define SYMBOLIZER_DEBUGFILE_H

#include "symbolizer/elffile.h"

/*
 * Opens DIRECTORY/.build-id/xx/yyyy.debug of the first of the directories (a
 * null-terminated list) that has it.
 */
bool debugfile_open_by_build_id(struct elffile *debug,
	const char *const *directories, const uint8_t *build_id,
	size_t build_id_bytes);

/*
 * Opens what .gnu_debuglink of `file` names: beside `path`, in .debug beside
 * it, in each directory followed by the directory of `path`.  When false,
 * *rejected says whether there was one with another CRC32.
 */
bool debugfile_open_by_link(struct elffile *debug,
	const char *const *directories, struct elffile *file, const char *path,
	bool *rejected);

#endif
