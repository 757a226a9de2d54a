/*
 * Packets of a Perfetto trace, all on one sequence.  Used by the style of that
 * name; what they say is that of the message or span alone.
 */
#ifndef DECODER_PERFETTO_PACKET_H
#define DECODER_PERFETTO_PACKET_H

#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "decoder/export/perfetto_fields.h"
#include "decoder/message/track_table.h"
#include "decoder/stats/spans.h"

/* Returns what proto_write_end() takes. */
size_t perfetto_packet_begin(
	struct render_buffer *out, enum packet_flags flags);

/* The first one: all times are wall times, and how others relate to them. */
void perfetto_packet_clocks(
	struct render_buffer *out, const struct message *message);

/* The track of the message's process, or of its thread; `process` may be null.
 */
void perfetto_packet_process(struct render_buffer *out,
	const struct track *track, const struct message *message);
void perfetto_packet_thread(struct render_buffer *out,
	const struct track *track, const struct track *process,
	const struct message *message);

/* A value of an event: text, by a name that is not interned. */
void perfetto_packet_annotate(struct render_buffer *out, const char *name,
	const char *text, size_t bytes);

/* A slice on a track of its own, with this number. */
void perfetto_packet_span(struct render_buffer *out, const struct span *span,
	const char *rule, uint64_t number);

#endif
