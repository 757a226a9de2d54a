/*
 * What is recorded of programs that run, and how much: gathered from the header
 * pages of their captures and by counting what is in these, twice.  Called by
 * running.c; said by status_text.c or status_json.c.
 */
#ifndef TOOLS_CTL_STATUS_H
#define TOOLS_CTL_STATUS_H

#include <stdio.h>

#include "record/switches.h"
#include "tools/live/status_count.h"
#include "tools/live/targets.h"

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

struct status {
	const struct target *target;
	struct binlog_header header;
	struct binlog_switches switches;
	bool can_be_switched; /* its library obeys the switches */
	unsigned rules;	      /* in force */
	uint64_t disk;	      /* bytes */
	struct status_count count;
};

/* Says it of each capture on standard output. */
void status_show(const struct targets *targets, bool json);

/* Calls a second, of so many in the second pass. */
double status_rate(const struct status *status, uint64_t recent);

/* "auto", ... or "as started". */
const char *status_mode(uint8_t mode);

/* Names of SWITCH_STDOUT and so on. */
extern const char *const status_streams[SWITCH_STREAMS];

void status_text(const struct status *status);
void status_json(const struct status *status);

#endif
