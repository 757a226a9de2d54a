/*
 * The logs and captures that are to be sent: those that were named, and all in
 * directories and below.  Used by main.c, once for each look.
 */
#ifndef TOOLS_SHIP_LOGS_H
#define TOOLS_SHIP_LOGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct one_log {
	char *path;
	uint64_t bytes;
	time_t changed;
	uint64_t device;
	uint64_t inode;
	uint64_t changed_ns;
};

struct logs {
	struct one_log *all; /* the oldest first */
	size_t count;
	size_t room;
	char *missing; /* the first that was named and cannot be looked at */
	int why;       /* errno of it */
	char *closed;  /* the first directory that cannot be read */
	int closed_why;
};

/* What the file is now, but for its path.  False: it is no regular file. */
bool log_look(struct one_log *log, const char *path);

/* False: out of memory. */
bool logs_find(struct logs *logs, char *const *paths, size_t count);

enum log_use { LOG_ENDED, LOG_GROWS };

/* Whether somebody writes to it: the kernel is asked, else its age. */
enum log_use log_use_of(const struct one_log *log);

/* A packed log, or a trace: it may be sent as it grows. */
bool log_is_packed(const struct one_log *log);

void logs_free(struct logs *logs);

#endif
