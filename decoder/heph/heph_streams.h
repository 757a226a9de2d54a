/*
 * The streams of a trace in Heph's format that is written: one for each
 * thread of each process, with a number of its own, whose events are counted.
 * Used by the style `heph`.
 */
#ifndef DECODER_HEPH_STREAMS_H
#define DECODER_HEPH_STREAMS_H

#include "base/id_map.h"
#include "base/pack_table.h"
#include "decoder/capture/message.h"
#include "decoder/heph/heph_packet.h"

/* All zeros is none. */
struct heph_streams {
	struct pack_table threads;
	struct heph_stream *all; /* by id - 1 */
	size_t room;
	struct id_map taken; /* numbers that streams have */
	uint32_t next;	     /* that may be free */
};

/*
 * Fills in stream and counter of the event that the message is.  `keep`: its
 * thread has the number of a stream, which is given again if it is free.
 */
void heph_streams_count(struct heph_streams *streams,
	const struct message *message, bool keep, struct heph_event *event);

void heph_streams_free(struct heph_streams *streams);

#endif
