/*
 * The executable and the libraries of a process that runs, as the kernel tells
 * them.  Called by binlog-ctl for resolve_rules().
 */
#ifndef TOOLS_CTL_RESOLVE_MODULES_H
#define TOOLS_CTL_RESOLVE_MODULES_H

#include <stdbool.h>
#include <sys/types.h>

#include "tools/program/resolve.h"

#define RESOLVE_BUILD_ID_BYTES_MAX 64

/* In hexadecimal digits; false: it has none, or cannot be read. */
bool resolve_build_id(const char *path,
	char digits[static 2 * RESOLVE_BUILD_ID_BYTES_MAX + 1]);

/* All zeros is empty. */
struct resolve_modules {
	struct resolve_module *modules;
	size_t count;
};

/* Adds those of a process that are not there yet.  False: errno says why not
 * all are there. */
bool resolve_modules_add(struct resolve_modules *modules, pid_t process);

/* Likewise one file. */
bool resolve_modules_add_file(
	struct resolve_modules *modules, const char *path, const char *name);

void resolve_modules_free(struct resolve_modules *modules);

#endif
