/*
 * How many messages have come through each call in each program.  Filled by
 * binlog-show with the messages of captures, asked by the index of statements.
 * All frames of a stack count: a call of a function that prints for others has
 * made the message, too.  When the statement is known, those that are outside
 * of it do not.
 */
#ifndef DECODER_HITS_H
#define DECODER_HITS_H

#include "base/pack_table.h"
#include "decoder/capture/message.h"
#include "symbolizer/symbolizer.h"

/* A return address in one process. */
struct hits_place {
	uint64_t frame;
	uint64_t count;
	struct program_module module; /* that it is in; path null: none */
};

/* All zeros is empty. */
struct hits {
	struct pack_table known;   /* program and frame, each once */
	struct hits_place *places; /* of them, by id - 1 */
	size_t room;
	size_t used;
	bool failed; /* no memory: something is missing */
};

/* A call in a file, by where it returns to; when it is known by what it hands
 * on and is not on the stack, by the byte after its first one. */
struct hits_call {
	uint64_t next;
	uint64_t count;
};

void hits_take(struct hits *hits, const struct message *message);

/*
 * The calls in the file at `path`, by `next`, and their number; those of
 * another file that was there when it was recorded do not count.  The caller
 * frees it; null: there are none.  So too *complaint, one sentence about such
 * a file, or null.
 */
struct hits_call *hits_calls(const struct hits *hits, const char *path,
	const struct symbolizer_options *options, size_t *count,
	char **complaint);

/*
 * The same of a module whose file is known to be the one that was recorded.
 * Null: out of memory.
 */
struct hits_call *hits_calls_in(const struct hits *hits,
	const struct program_module *module, size_t *count);

void hits_free(struct hits *hits);

#endif
