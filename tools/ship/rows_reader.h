/*
 * Logs and captures as blocks of rows, made by a process of its own, which has
 * no rights but to read: what strangers have written is not looked at where the
 * password is.  Read by main.c, which answers for each log how much of it was
 * sent.  Many small logs are one block.  The process waits while its blocks are
 * sent, so memory is bounded.
 */
#ifndef TOOLS_SHIP_ROWS_READER_H
#define TOOLS_SHIP_ROWS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "decoder/fleet/tables.h"

struct rows_reader_log {
	const char *path;
	bool skipped; /* it is not even opened */
	bool growing; /* somebody writes to it: what is not whole waits */
	int lock; /* of who sends: the reader has no part in it */
};

struct rows_reader_settings {
	const struct rows_reader_log *logs;
	size_t count;
	bool text;	 /* also what the program would have printed */
	bool places;	 /* stacks, and places in the source */
	bool statements; /* find those of texts */
	uint64_t ahead;	 /* nanoseconds since 1970: what is said to be later is
			  * told of */
	const volatile int *stopped; /* as in struct rows_reader */
	void *secret;		     /* that the process must not have */
	size_t secret_bytes;
};

/* What comes from it. */
enum rows_reader_kind {
	ROWS_LOG,    /* which log is opened now */
	ROWS_SOURCE, /* which source a log is: rows_reader_answer() is waited
			for */
	ROWS_BLOCK,  /* of a table; items follow those of messages */
	ROWS_END,
};

/* As it goes through the pipe, before items and bytes. */
struct rows_reader_frame {
	uint32_t kind;	/* enum rows_reader_kind */
	uint32_t table; /* of a block: enum fleet_table */
	uint64_t log;	/* of a log, and a source: its place in the settings */
	uint64_t source;
	uint64_t rows;
	uint64_t items;
	uint64_t bytes;
};

/* What of a log is in a block of messages. */
struct rows_reader_item {
	uint64_t log;
	uint64_t from;	/* messages from this one on */
	uint64_t until; /* and before this one; there may be none */
	uint32_t ended; /* and then it ends */
	uint32_t damaged;
};

struct rows_reader {
	pid_t pid;
	int fd;
	char *bytes; /* of the last block; the reader's */
	size_t room;
	struct rows_reader_item *items; /* likewise */
	size_t item_room;
	const volatile int
		*stopped; /* while it is not 0 nothing is waited for */
};

/* False: no process can be made; errno says why. */
bool rows_reader_begin(struct rows_reader *reader,
	const struct rows_reader_settings *settings);

/* To a ROWS_SOURCE. */
#define ROWS_SKIP UINT64_MAX

/*
 * Messages before this one were sent, or ROWS_SKIP: the log is left out. False:
 * the process is not there any more.
 */
bool rows_reader_answer(struct rows_reader *reader, uint64_t from);

/* The next one; false: it has ended without a word. */
bool rows_reader_next(
	struct rows_reader *reader, struct rows_reader_frame *frame);

/* Ends the process, if it is still there. */
void rows_reader_end(struct rows_reader *reader);

#endif
