/*
 * What binlog-run hands to the library in BINLOG_STREAMS and BINLOG_CONFIG.
 * Called by main.  Promises to say what the library, which prints nothing,
 * could only pass over in silence, and that rules about the source (`func`,
 * `file`, `line`) come to the program as rules about places in it and in its
 * libraries.
 */
#ifndef TOOLS_RUN_CONFIG_CHECK_H
#define TOOLS_RUN_CONFIG_CHECK_H

#include <stdbool.h>

#include "tools/program/preload.h"

/* Whether every item of the list means something; null is fine. */
bool config_check_streams(const char *list, struct refusal *refusal);

/*
 * Whether all of the file at the absolute `path` means something; what has no
 * effect is said.  What its rules are about is looked for in `program` and its
 * libraries.  *resolved is null, or another file that is to be used in its
 * place, in the `directory` of the captures, which is made if need be: the
 * caller's to free.
 */
bool config_check(const char *path, const char *directory, const char *program,
	char **resolved, struct refusal *refusal);

#endif
