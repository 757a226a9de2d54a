/*
 * The files that belong to binlog-run and the value of LD_PRELOAD that names
 * one of them.  Called by main.  Promises to keep what was preloaded before,
 * in its order.
 */
#ifndef TOOLS_RUN_PRELOAD_H
#define TOOLS_RUN_PRELOAD_H

#include <limits.h>

#include "tools/program/elf_image.h"
#include "tools/program/refusal.h"

/*
 * The absolute path of a file installed along with the running program: the
 * first of the null-terminated `places`, relative to the program's directory,
 * at which there is one.  False when there is none.
 */
bool preload_find_beside(const char *const *places, char path[static PATH_MAX]);

/*
 * Finds libbinlog.so and opens it into `library`, to be closed after true; or
 * says why the dynamic loader could not load it.
 */
bool preload_find_library(char path[static PATH_MAX], struct elf_image *library,
	struct refusal *refusal);

/*
 * A value for LD_PRELOAD: `sanitizer` (may be empty) first, then `library`,
 * then `old` (null for none); nothing that `old` holds already is added again.
 * The caller's to free; null when out of memory.
 */
char *preload_compose(
	const char *sanitizer, const char *library, const char *old);

#endif
