/*
 * What binlog-ship is asked for and where it stands, and the part of it that
 * sends: main.c finds logs and removes them, send.c talks to servers.  One
 * thread.
 */
#ifndef TOOLS_SHIP_SHIP_H
#define TOOLS_SHIP_SHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/command_line.h"
#include "tools/fleet/server.h"
#include "tools/ship/compress.h"
#include "tools/ship/logs.h"
#include "tools/ship/shipped.h"

struct ship_command {
	const char *to;
	const char *cluster;
	const char *password_file;
	const char *ca;
	int level; /* of zstd; 0: what is sent is not compressed */
	bool follow;
	uint64_t every; /* seconds between looks at least */
	const char *state;
	bool deletes;
	uint64_t delete_seconds;
	uint64_t keep_bytes; /* 0: all */
	bool without_text;
	bool without_stacks;
	bool without_statements;
	uint64_t give_up; /* seconds; 0: never */
	bool status;
	bool quiet;
	bool help;
	bool version;
	char *const *paths;
	size_t path_count;
	char problem[COMMAND_LINE_PROBLEM_BYTES];
};

struct ship {
	struct ship_command command;
	struct servers servers;
	struct compressed compressed;
	bool prepared[SERVERS_MAX]; /* its tables are there */
	/* Of each server: */
	unsigned pause[SERVERS_MAX];   /* 0: the last request was answered */
	uint64_t failing[SERVERS_MAX]; /* since when, by ship_milliseconds() */
	uint64_t again[SERVERS_MAX];   /* it is left alone until then */
	uint64_t told[SERVERS_MAX];    /* what was told of it last: a code of
					* the server's, or a hash of words */
	bool away; /* of several servers one is, and has to be tried again */
	char said[2048];   /* the last problem that was told */
	uint64_t messages; /* sent */
	size_t logs;
	size_t waiting; /* that somebody writes to */
	size_t damaged; /* read as far as it goes */
	size_t unsent;	/* left out */
	bool gave_up;	/* nothing more is tried in this look, */
	bool over;	/* nor in any: see --give-up */
	bool closed;	/* a directory that cannot be read was told of */
};

/* Set by signals: what is being done is ended as soon as possible. */
extern volatile int ship_stopped;

/* A clock that nobody sets. */
uint64_t ship_milliseconds(void);

/* Sleeps, but not when it is stopped. */
void ship_doze(unsigned milliseconds);

/* Says it, unless it was the last that was said. */
void ship_tell(struct ship *ship, const char *problem);

/*
 * Sends what is new in the logs.  False: a server or a file does not let it,
 * and what is left has to be tried again.
 */
bool ship_send(struct ship *ship, const struct logs *logs);

/* The file is the one whose end was reached, and has not changed since. */
bool ship_is_unchanged(
	const struct shipped *shipped, const struct one_log *log);

#endif
