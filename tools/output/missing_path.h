/*
 * Paths of options that say where else to look: what is looked for there may
 * be found elsewhere, so one that is not there ends nothing, but is told.
 * Called by mains before they give up rights; says it on standard error.
 */
#ifndef TOOLS_MISSING_PATH_H
#define TOOLS_MISSING_PATH_H

#include <stddef.h>

/* Of --sysroot, null: none, and of each --debug-dir. */
void missing_path_tell_symbols(const char *command, const char *sysroot,
	const char *const *directories, size_t count);

/* The file that `option` of `command` names, which is to be read; null: none.
 */
void missing_path_tell_file(
	const char *command, const char *option, const char *path);

#endif
