/*
 * The ordinary files that BINLOG_STREAMS asks for (`file:GLOB=MODE`).  Called
 * by streams.c when it decides on a descriptor that is none of the run's own
 * outputs; costs nothing where no file was asked for.  Lock-free and
 * async-signal-safe; what it keeps is inherited by children of fork.
 */
#ifndef SHIM_LOG_FILES_H
#define SHIM_LOG_FILES_H

#include <sys/stat.h>

#include "rules/policy.h"

/* Some file was asked for. */
extern bool log_files_any;

/*
 * Takes the items about files out of the value of BINLOG_STREAMS.  Globs that
 * are relative become absolute, also in the environment of children.  Once.
 * False: there is no memory for it.
 */
bool log_files_configure(const char *list);

/*
 * What is to become of text to `fd`, which *st describes: POLICY_PASS if
 * nobody has asked for it, or it has no name, or is a capture; POLICY_AUTO if
 * that cannot be found out for want of memory or the like.  Otherwise
 * *path is what it is called now, from the root and without symbolic links;
 * the same pointer for the same path, good for ever.
 */
enum policy_mode log_files_find(
	int fd, const struct stat *st, const char **path);

#endif
