/*
 * A DATA record of a packed log: a message by itself.  Driven by the reader,
 * which takes the message out before the next frame.  What is lost of its
 * definitions is made up of what it says itself.
 */
#ifndef DECODER_PACKED_DATA_H
#define DECODER_PACKED_DATA_H

#include "decoder/capture/message.h"
#include "decoder/packed/packed_log.h"

/* All zeros has no message. */
struct packed_data {
	bool waits; /* the message is to be taken */
	struct message message;
	struct render_argument arguments[FORMAT_KINDS_MAX]; /* its */
	uint8_t kinds[FORMAT_KINDS_MAX];		    /* made up */
};

/*
 * Takes the record, which has to stay.  False: it makes no sense, or there is
 * no memory.
 */
bool packed_data_read(struct packed_data *data, struct packed_log *log,
	const struct packed_record *record, uint64_t offset);

/* The message, once.  Null: there is none. */
const struct message *packed_data_next(struct packed_data *data);

#endif
