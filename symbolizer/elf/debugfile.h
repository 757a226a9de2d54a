/*
 * Finds files that belong to another one: its separate debug file, or the file
 * itself by its build-id.  Called by the symbolizer for files without DWARF,
 * for files that are not where they were, and for a build-id alone.  Promises
 * that the file found belongs to the other one: by its build-id or by the
 * CRC32 that the other one carries.
 */
#ifndef SYMBOLIZER_DEBUGFILE_H
#define SYMBOLIZER_DEBUGFILE_H

#include "symbolizer/elf/elffile.h"
#include "symbolizer/symbolizer.h"

/* For elffile_open_below() and others that take a root. */
struct searchpath {
	const char *root; /* the sysroot, or null */
	char *path;
};

/* False when out of memory; else the caller frees `path` of it. */
bool searchpath_find(struct searchpath *place,
	const struct symbolizer_options *options, const char *recorded);

struct debugpaths {
	const struct symbolizer_options *options;
	const struct elffile *file;    /* that has the debug information */
	const struct elffile *program; /* that it was made for, or the same */
};

/* What a tree of build-ids holds: DIRECTORY/.build-id/xx/yyyy[.debug]. */
enum debugfile_kind { DEBUGFILE_PROGRAM, DEBUGFILE_DEBUG };

/*
 * Opens it in the first of the debug directories that has it, in each of them
 * as it is and then below the sysroot.
 */
bool debugfile_open_by_build_id(struct elffile *file,
	const struct symbolizer_options *options, enum debugfile_kind kind,
	const uint8_t *build_id, size_t build_id_bytes);

/*
 * Opens what .gnu_debuglink of `file` names: beside `place`, where that file
 * is, in .debug beside it, in each debug directory followed by the directory
 * of the file, by its path and then by what that is without links.  When false,
 * *rejected says whether there was one with another CRC32.
 */
bool debugfile_open_by_link(struct elffile *debug,
	const struct symbolizer_options *options, struct elffile *file,
	const struct searchpath *place, bool *rejected);

/*
 * Asks the servers of debuginfod, if options->debuginfod; see openfile.h.
 * When false, *why says why not (a constant string), or is null when they
 * have no such file, or are not to be asked.
 */
bool debugfile_download(struct elffile *debug,
	const struct symbolizer_options *options, const uint8_t *build_id,
	size_t build_id_bytes, const char **why);

#endif
