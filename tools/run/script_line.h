/*
 * The #! line of a script, read as the kernel reads it.  Called by
 * program_check.c to find what will really be run.  Promises to agree with
 * execve(2) on blanks, on length and on what is not a script.
 */
#ifndef TOOLS_RUN_SCRIPT_LINE_H
#define TOOLS_RUN_SCRIPT_LINE_H

#include <stdbool.h>

enum {
	SCRIPT_LINE_BYTES = 256, /* more than this the kernel does not read */
};

/*
 * Whether the file is a script, and then its interpreter: empty when the line
 * names none or is cut within the name, which the kernel refuses to run.  What
 * cannot be opened counts as no script.
 */
bool script_line_read(
	const char *path, char interpreter[static SCRIPT_LINE_BYTES]);

#endif
