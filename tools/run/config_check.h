/*
 * What binlog-run hands to the library in BINLOG_CONFIG.  Called by main.
 * Promises to say what the library, which prints nothing, could only pass over
 * in silence, and that rules about the source (`func`, `file`, `line`) come to
 * the program as rules about places in it and in its libraries.
 */
#ifndef TOOLS_RUN_CONFIG_CHECK_H
#define TOOLS_RUN_CONFIG_CHECK_H

#include <stdbool.h>

#include "tools/program/preload.h"

struct config_check {
	const char *path;      /* of the file, absolute */
	const char *directory; /* of the captures; made if need be */
	const char *program;   /* in which, and in whose libraries, it is */
			       /* looked for what the rules are about */
	/* Told in a sentence what has no effect. */
	void (*say)(const char *sentence);
};

/*
 * Whether all of the file means something.  *resolved is null, or another file
 * that is to be used in its place, in the directory: the caller's to free.
 */
bool config_check(const struct config_check *check, char **resolved,
	struct refusal *refusal);

#endif
