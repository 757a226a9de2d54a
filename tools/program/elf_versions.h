/*
 * The symbol versions that an ELF file defines and those that it requires of
 * others.  Called by the checks of binlog-run to see whether a program's
 * loader is glibc's and whether its libc is new enough for the library.
 * Promises what elf_image.h promises: damage sets `why` and ends the walk.
 */
#ifndef TOOLS_RUN_ELF_VERSIONS_H
#define TOOLS_RUN_ELF_VERSIONS_H

#include "tools/program/elf_image.h"

/* Whether a version is defined whose name begins with `prefix`. */
bool elf_versions_defines_like(struct elf_image *image, const char *prefix);

/* Whether this very version is defined. */
bool elf_versions_defines(struct elf_image *image, const char *version);

/* Stands between two required versions; begins as all zeros. */
struct elf_versions_walk {
	uint64_t library_place;
	uint64_t version_place;
	unsigned steps;
	bool begun;
};

/*
 * The next required version and the library that it is required of; those
 * that may be missing (weak) are left out.  False after the last one.
 */
bool elf_versions_next_required(struct elf_image *image,
	struct elf_versions_walk *walk, char library[static ELF_IMAGE_NAME],
	char version[static ELF_IMAGE_NAME]);

#endif
