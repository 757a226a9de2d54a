/*
 * A batch of a packed log before its columns are decoded: who says how much of
 * what in it, and when.  Made by the reader of packed logs, asked by filters,
 * so that what nobody wants costs next to nothing.  Valid while the filter is
 * asked; the contexts and programs live longer, see below.
 */
#ifndef DECODER_PACKED_BATCH_H
#define DECODER_PACKED_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/capture/message.h"

struct packed_site {
	/* As in the messages, but for `frames`, `depth`, `modules` and the
	 * addresses, which are those of one process that uses it.  Valid until
	 * the next batch, and mostly the same there. */
	struct definition_context *context;
	uint32_t messages; /* of it in the batch */
	bool wanted;	   /* true at first: its messages are given out */
};

struct packed_writer {
	struct recording *capture;
	struct program *program;
	const char *thread;		     /* its name, may be empty */
	const struct message_origin *origin; /* null: not known */
	uint64_t coroutine; /* 0: none */
	uint32_t pid;
	uint32_t tid;
	uint32_t messages;
};

struct packed_batch {
	uint64_t number; /* of its first message in the log */
	uint32_t count;	 /* of messages, events included */
	uint64_t first;	 /* nanoseconds since 1970 */
	uint64_t last;
	struct packed_site *sites;
	size_t site_count;
	const struct packed_writer *writers;
	size_t writer_count;
	struct pool *pool; /* lives as long as the contexts */
};

/*
 * Asked when all messages before the batch have been given out.  May make
 * sites unwanted.  False: nothing in the batch is wanted.
 */
typedef bool packed_wants(void *closure, struct packed_batch *batch);

struct packed_body;

/*
 * Asked when the columns that are wanted have been decoded, with the same
 * closure: either takes all of them, see packed_columns.h, or messages are made
 * of them, and it gives false.
 */
typedef bool packed_fold(void *closure, struct packed_body *body);

#endif
