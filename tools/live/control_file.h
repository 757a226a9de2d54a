/*
 * DIR/control.conf: what programs of a run obey that start later, as they read
 * BINLOG_CONFIG.  Called by running.c for a directory, and by reload.c.
 * Promises that who reads it sees all of a change or nothing of it, and that
 * what stands there otherwise stays.
 */
#ifndef TOOLS_CTL_CONTROL_FILE_H
#define TOOLS_CTL_CONTROL_FILE_H

#include "tools/live/changes.h"

#define CONTROL_FILE_NAME "control.conf"

/* Also of any other configuration. */
#define CONTROL_FILE_MAX ((size_t)2 << 20)

/*
 * All of it, the caller's to free, ending in a NUL that *bytes does not count.
 * Null: errno says why not.
 */
char *control_file_read(const char *path, size_t *bytes);

/*
 * Null, or why not; nothing was changed then.  The file is the directory's
 * owner's, also if root writes it; what others put in its place is refused.
 */
const char *control_file_merge(
	const char *directory, const struct changes *changes);

#endif
