/*
 * Why binlog-run does not run a program: an exit status and one sentence.
 * Filled in by every check in tools/run/; only main prints it.  Promises a
 * terminated sentence whatever the length of the names in it.
 */
#ifndef TOOLS_RUN_REFUSAL_H
#define TOOLS_RUN_REFUSAL_H

#include <stdbool.h>

/* Exit statuses; the last two are those of env(1) and of every shell. */
enum refusal_status {
	REFUSAL_POINTLESS = 2, /* usage, or the program would not be recorded */
	REFUSAL_CANNOT_RUN = 126,
	REFUSAL_NOT_FOUND = 127,
};

struct refusal {
	enum refusal_status status;
	char sentence[8192];
};

/*
 * Fills in the refusal; too long a sentence is cut.  Always returns false, so
 * that a check can end with it.
 */
bool refusal_set(struct refusal *refusal, enum refusal_status status,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
