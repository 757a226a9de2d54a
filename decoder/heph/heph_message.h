/*
 * Events of a Heph trace as messages, so that all styles and filters take
 * them.  Used by the reader of such traces.  What binlog-show itself has
 * exported becomes what it was, as far as the trace says it; of others the
 * stream is the thread, and the text is the description with all attributes.
 */
#ifndef DECODER_HEPH_MESSAGE_H
#define DECODER_HEPH_MESSAGE_H

#include "decoder/capture/message.h"
#include "decoder/heph/heph_read.h"

struct heph_messages;

/* Of a trace that this capture stands for.  Null: out of memory. */
struct heph_messages *heph_messages_new(struct recording *capture);

/* Null is fine. */
void heph_messages_free(struct heph_messages *messages);

/*
 * The message of an event at `wall`; the cursor is over its attributes, and is
 * left behind those that made sense.  Valid until the next call, and as long
 * as the packet is.  Null: out of memory.
 */
const struct message *heph_message(struct heph_messages *messages,
	const struct heph_event *event, struct cursor *attributes,
	uint64_t wall);

#endif
