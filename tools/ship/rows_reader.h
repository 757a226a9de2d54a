/*
 * One log or capture as blocks of rows, made by a process of its own, which has
 * no rights but to read: what strangers have written is not looked at where the
 * password is.  Read by main.c.  The process waits while its blocks are sent,
 * so memory is bounded.
 */
#ifndef TOOLS_SHIP_ROWS_READER_H
#define TOOLS_SHIP_ROWS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "decoder/fleet/tables.h"

struct rows_reader_settings {
	const char *path;
	bool growing;	 /* somebody writes to it: what is not whole waits */
	bool text;	 /* also what the program would have printed */
	bool places;	 /* stacks, and places in the source */
	bool statements; /* find those of texts */
	uint64_t from;	 /* messages before this one are left out, */
	uint64_t until;	 /* and if that is more, the first block ends here */
};

/* What comes from it. */
enum rows_reader_kind {
	ROWS_SOURCE, /* the first: which source it is */
	ROWS_BLOCK,
	ROWS_END,
};

/* As it goes through the pipe, before the bytes. */
struct rows_reader_frame {
	uint32_t kind;	/* enum rows_reader_kind */
	uint32_t table; /* of a block: enum fleet_table */
	uint64_t source;
	uint64_t from;	/* of a block of messages: those from this one on, */
	uint64_t until; /* and before this one */
	uint64_t rows;
	uint64_t bytes;	 /* that follow */
	uint32_t status; /* of an end: enum exit_status */
	uint32_t unused;
};

struct rows_reader {
	pid_t pid;
	int fd;
	char *bytes; /* of the last block; the reader's */
	size_t room;
};

/* False: no process can be made; errno says why. */
bool rows_reader_begin(struct rows_reader *reader,
	const struct rows_reader_settings *settings);

/* The next one; false: it has ended without a word. */
bool rows_reader_next(
	struct rows_reader *reader, struct rows_reader_frame *frame);

/* Ends the process, if it is still there. */
void rows_reader_end(struct rows_reader *reader);

#endif
