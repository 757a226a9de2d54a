/*
 * A file in Heph's trace format as a stream of messages, in the order of the
 * file.  Driven by source.c.  Options hold for all of the trace, wherever they
 * stand: the file is read twice; of standard input so much as can be held.
 * What the counters of its streams miss is reported as lost.
 */
#ifndef DECODER_HEPH_READER_H
#define DECODER_HEPH_READER_H

#include "decoder/capture/message.h"
#include "decoder/packed/packed_capture.h"
#include "decoder/packed/packed_reader.h"

struct heph_reader;

/*
 * There is a trace at `path`.  Of standard input, which cannot be read twice,
 * the first bytes tell, which stay to be read.
 */
bool heph_reader_is(const char *path);

/*
 * Of such a file; path and captures are borrowed.  Null:
 * out of memory, or not opened, and reported.
 */
struct heph_reader *heph_reader_new(
	const char *path, struct packed_captures *captures);

/* The next message, valid until the next call.  Null: that was all. */
const struct message *heph_reader_next(struct heph_reader *reader);

/* Null is fine. */
void heph_reader_free(struct heph_reader *reader);

#endif
