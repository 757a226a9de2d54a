/*
 * Packets of a Perfetto trace, all on one sequence.  Used by the style of that
 * name; what they say is that of the message or span alone.
 */
#ifndef DECODER_PERFETTO_PACKET_H
#define DECODER_PERFETTO_PACKET_H

#include "base/render_buffer.h"
#include "decoder/capture/message.h"
#include "decoder/message/track_table.h"
#include "decoder/stats/spans.h"

enum { TRACE_PACKET = 1 };

enum packet_field {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10, /* not 0 */
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13, /* enum packet_flags */
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_FIRST_ON_SEQUENCE = 87,
};

enum packet_flags {
	PACKET_CLEARS_STATE = 1, /* what was interned */
	PACKET_NEEDS_STATE = 2
};

enum { DEFAULTS_CLOCK = 58 };

enum clock_field {
	SNAPSHOT_CLOCK = 1,
	SNAPSHOT_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
};

enum clock_id {
	CLOCK_ID_REALTIME = 1,
	CLOCK_ID_MONOTONIC = 3,
	CLOCK_ID_BOOT = 6
};

enum descriptor_field {
	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT = 5,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
};

enum event_field {
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9, /* enum event_type */
	EVENT_NAME_ID = 10,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_CALLSTACK = 55,
	CALLSTACK_FRAME = 1,
	FRAME_FUNCTION = 1,
	FRAME_FILE = 2,
	FRAME_LINE = 3,
};

enum event_type { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3 };

enum annotation_field {
	ANNOTATION_NAME_ID = 1,
	ANNOTATION_UNSIGNED = 3,
	ANNOTATION_INTEGER = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_STRING = 6,
	ANNOTATION_POINTER = 7,
	ANNOTATION_NAME = 10,
};

enum interned_field {
	INTERNED_EVENT_NAME = 2,
	INTERNED_ANNOTATION_NAME = 3,
	INTERNED_ID = 1,
	INTERNED_TEXT = 2,
};

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
