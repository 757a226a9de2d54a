/*
 * The constant texts that calls of stacks hand on, for readers that will not
 * have the programs: what the programs say of them, written as HANDED frames
 * before the messages.  Used by pack.c and pack_define.c, for places that hand
 * on a text that another part of the program has made.
 */
#ifndef DECODER_PACK_HANDED_H
#define DECODER_PACK_HANDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pack_table.h"
#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "decoder/capture/restore.h"

struct pack_define;
struct pack_handed_call;

/* All zeros but the first four is ready. */
struct pack_handed {
	struct restore *restore; /* that knows the programs */
	struct pack_define *define;
	bool matters; /* that a program is not there */
	bool plain;   /* nothing is compressed */
	struct pack_table texts;
	struct pack_table calls;
	struct pack_handed_call *states; /* of these, by id - 1 */
	size_t state_room;
	size_t state_bytes;
	uint32_t *waiting; /* ids of calls to be written */
	size_t waiting_count;
	size_t waiting_room;
	struct pack_handed_call *asked; /* the one that is */
	uint32_t frames;		/* written, for what is in one */
	struct render_buffer text_list, call_list, compressed;
	bool failed; /* out of memory */
};

/* Asks what this part does not have yet of the message's stack. */
void pack_handed_ask(struct pack_handed *handed, const struct message *message);

/* Writes what was asked. */
void pack_handed_write(struct pack_handed *handed);

/* Bytes of memory that it takes. */
size_t pack_handed_bytes(const struct pack_handed *handed);

/* The log has a new number: nothing is written yet. */
void pack_handed_forget(struct pack_handed *handed);

void pack_handed_free(struct pack_handed *handed);

#endif
