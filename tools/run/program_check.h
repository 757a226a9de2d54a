/*
 * Whether a program can be recorded by preloading a library into it.  Called
 * by binlog-run before it runs anything; reads files, changes nothing.
 * Promises that each program which the dynamic loader would run without the
 * library is refused with the reason, and that what cannot be read (a program
 * that may be executed but not opened) is given the benefit of the doubt.
 */
#ifndef TOOLS_RUN_PROGRAM_CHECK_H
#define TOOLS_RUN_PROGRAM_CHECK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "tools/program/elf_image.h"
#include "tools/program/preload.h"

/*
 * The same path from the root, whatever directory a program changes to.  The
 * caller's to free; null, with errno, on failure.
 */
char *run_paths_absolute(const char *path);

/*
 * Whether captures can go to an absolute path.  If there is nothing yet, the
 * library makes the directory, but none above it.
 */
bool run_paths_check_directory(const char *path, struct refusal *refusal);

bool run_paths_check_file(const char *path, struct refusal *refusal);

/* As the library would a little later, mode 0700 whatever the umask is.  What
 * is there already stays as it is. */
void run_paths_make_directory(const char *path);

/* How many entries the directory has; 0 when it cannot be read. */
size_t run_paths_count(const char *directory);

struct program {
	char path[PATH_MAX]; /* what to execute */
	/* Sanitizer runtime that has to be loaded before all else, or "". */
	char sanitizer[ELF_IMAGE_NAME];
};

/*
 * Fills in `path` in the way of execvp(3): a name without a slash is searched
 * for in PATH.  On false the status is REFUSAL_NOT_FOUND or
 * REFUSAL_CANNOT_RUN.
 */
bool program_check_find(
	const char *name, struct program *program, struct refusal *refusal);

/*
 * Checks the program at `path`, of a script the interpreter that will run it,
 * against the library that is to be preloaded, and fills in `sanitizer`.
 * On false the status is REFUSAL_POINTLESS when the program would run, but
 * unrecorded; else one of the others.
 */
bool program_check_preload(struct program *program, struct elf_image *library,
	struct refusal *refusal);

#endif
