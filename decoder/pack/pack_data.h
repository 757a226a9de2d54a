/*
 * A message in a frame of its own, which any reader of MessagePack
 * understands.  Called by pack.c where no batches are wanted.
 */
#ifndef DECODER_PACK_DATA_H
#define DECODER_PACK_DATA_H

#include "decoder/pack/pack_define.h"

/* Appends the frame; its definitions are written. */
void pack_data_write(struct pack_define *define, const struct message *message,
	const struct pack_entry *site, const struct pack_entry *thread,
	uint64_t number);

#endif
