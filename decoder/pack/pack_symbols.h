/*
 * The names of a packed log's stacks and pointers, for readers that will not
 * have the files: what the symbolizer says of them, written as SYMBOL frames
 * before the messages.  Used by pack.c and pack_define.c.
 */
#ifndef DECODER_PACK_SYMBOLS_H
#define DECODER_PACK_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pack_table.h"
#include "decoder/capture/message.h"
#include "decoder/names/places.h"
#include "decoder/pack/frame_write.h"

struct pack_define;

struct pack_symbols_frame {
	size_t function; /* where it begins in `text`, plus 1; 0: unknown */
	size_t file;	 /* likewise */
	struct symbolizer_frame answer; /* without these two */
};

/* All zeros but `places` and `define` is ready. */
struct pack_symbols {
	struct places *places; /* that are asked */
	struct pack_define *define;
	struct pack_table questions;
	/* The rest is of the question that is being answered. */
	struct pack_entry *asked; /* null: it is in this part already */
	struct pack_symbols_frame *frames;
	size_t count;
	size_t room;
	struct render_buffer text;
	bool failed; /* out of memory */
};

/* Writes what this part does not have yet of the message's stack. */
void pack_symbols_write(
	struct pack_symbols *symbols, const struct message *message);

/* And of what its arguments point to, in programs and libraries. */
void pack_symbols_pointers(
	struct pack_symbols *symbols, const struct message *message);

/* The log has a new number: nothing is written yet. */
void pack_symbols_forget(struct pack_symbols *symbols);

void pack_symbols_free(struct pack_symbols *symbols);

#endif
