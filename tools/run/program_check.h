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

#include "tools/program/elf_image.h"
#include "tools/program/preload.h"

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
