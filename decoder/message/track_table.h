/*
 * The processes and threads that have said something, and the names that they
 * had then.  Used by exports to tools that draw a lane for each; holds
 * boundedly many.
 */
#ifndef DECODER_TRACK_TABLE_H
#define DECODER_TRACK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id_map.h"
#include "base/pool.h"
#include "decoder/capture/message.h"

#define TRACK_NAME_MAX 16u

/* Of a process, with tid 0, or of one of its threads. */
struct track {
	uint64_t number; /* from 1, as they were met */
	const struct program *program;
	uint32_t pid;
	uint32_t tid;
	uint64_t boot;		   /* tells captures apart */
	char name[TRACK_NAME_MAX]; /* cut if it is longer; ends in NUL */
	struct track *collides;
};

/* All zeros is empty. */
struct track_table {
	struct id_map map;
	struct pool pool;
	size_t count;
	bool failed; /* out of memory */
};

/*
 * That of the message's process, or of its thread.  *named says that it is new
 * or has another name than it had.  Null: there are too many, or out of
 * memory.
 */
struct track *track_table_process(
	struct track_table *table, const struct message *message, bool *named);
struct track *track_table_thread(
	struct track_table *table, const struct message *message, bool *named);

void track_table_free(struct track_table *table);

#endif
