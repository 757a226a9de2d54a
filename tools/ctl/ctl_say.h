/*
 * What binlog-ctl says to people.  Called by its main and by running.c; names
 * in what is said may be anybody's, and reach no terminal raw.
 */
#ifndef TOOLS_CTL_CTL_SAY_H
#define TOOLS_CTL_CTL_SAY_H

#include <stdio.h>

enum exit_status {
	EXIT_DONE = 0,
	EXIT_LEFT = 1,	  /* something that should have been done, as well */
	EXIT_NOTHING = 2, /* was done: usage, or there is nothing to do it to */
};

void ctl_say_put(FILE *file, const char *text);

/* On standard output, as it is unless that is a terminal. */
void ctl_say_lines(const char *text, size_t size);

/* One sentence on standard error, "what: why" or "what"; EXIT_NOTHING. */
enum exit_status ctl_say_complaint(const char *what, const char *why);

/* `status`, unless standard output could not be written: then it says so. */
enum exit_status ctl_say_finish(enum exit_status status);

#endif
