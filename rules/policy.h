/*
 * The value of BINLOG_STREAMS taken apart: which stream is to be treated how.
 * Called by the library, which follows it, and by binlog-run, which says what
 * is wrong with it.  Freestanding; points into the value, keeps nothing.
 */
#ifndef RULES_POLICY_H
#define RULES_POLICY_H

#include <stdbool.h>
#include <stddef.h>

enum policy_mode {
	POLICY_AUTO,
	POLICY_REPLACE,
	POLICY_TEE,
	POLICY_PASS,
};

/* What an item is about: several of these, or a glob. */
#define POLICY_STDOUT 1u
#define POLICY_STDERR 2u
#define POLICY_SYSLOG 4u

struct policy_item {
	const char *text; /* as it stands in the list */
	size_t bytes;
	unsigned streams; /* POLICY_STDOUT...; 0: files */
	const char *glob;
	size_t glob_bytes;
	enum policy_mode mode;
	/* Why it means nothing and is passed over, or null. */
	const char *wrong;
};

/* Takes the next item off the list; false at its end.  Skips empty ones. */
bool policy_next(const char **list, struct policy_item *item);

/* As it is written in the list. */
const char *policy_mode_name(enum policy_mode mode);

#endif
