#include "decoder/export/perfetto_packet.h"

#include <string.h>

#include "decoder/export/proto_write.h"

#define SEQUENCE 1u

/* Tracks of spans have numbers from here on. */
#define SPAN_TRACKS ((uint64_t)1 << 32)

size_t perfetto_packet_begin(struct render_buffer *out, enum packet_flags flags)
{
	size_t packet = proto_write_begin(out, TRACE_PACKET);

	proto_write_unsigned(out, PACKET_SEQUENCE, SEQUENCE);
	proto_write_unsigned(out, PACKET_SEQUENCE_FLAGS, flags);
	return packet;
}

static void put_clock(
	struct render_buffer *out, enum clock_id id, uint64_t nanoseconds)
{
	size_t clock = proto_write_begin(out, SNAPSHOT_CLOCK);

	proto_write_unsigned(out, CLOCK_ID, id);
	proto_write_unsigned(out, CLOCK_TIMESTAMP, nanoseconds);
	proto_write_end(out, clock);
}

void perfetto_packet_clocks(
	struct render_buffer *out, const struct message *message)
{
	const struct binlog_anchor *start = &message->capture->header.start;
	size_t packet = perfetto_packet_begin(out, PACKET_CLEARS_STATE);
	size_t snapshot, defaults;

	proto_write_unsigned(out, PACKET_FIRST_ON_SEQUENCE, 1);
	defaults = proto_write_begin(out, PACKET_DEFAULTS);
	proto_write_unsigned(out, DEFAULTS_CLOCK, CLOCK_ID_REALTIME);
	proto_write_end(out, defaults);
	snapshot = proto_write_begin(out, PACKET_CLOCK_SNAPSHOT);
	if (start->realtime > 0) {
		put_clock(out, CLOCK_ID_REALTIME, start->realtime);
		put_clock(out, CLOCK_ID_MONOTONIC, start->monotonic);
		put_clock(out, CLOCK_ID_BOOT, start->boottime);
	} else {
		put_clock(out, CLOCK_ID_REALTIME, message->wall);
	}
	proto_write_unsigned(out, SNAPSHOT_PRIMARY, CLOCK_ID_REALTIME);
	proto_write_end(out, snapshot);
	proto_write_end(out, packet);
}

void perfetto_packet_process(struct render_buffer *out,
	const struct track *track, const struct message *message)
{
	size_t packet = perfetto_packet_begin(out, PACKET_NEEDS_STATE);
	size_t descriptor = proto_write_begin(out, PACKET_TRACK_DESCRIPTOR);
	size_t process;

	proto_write_unsigned(out, DESCRIPTOR_UUID, track->number);
	process = proto_write_begin(out, DESCRIPTOR_PROCESS);
	proto_write_integer(out, PROCESS_PID, (int32_t)message->pid);
	proto_write_word(out, PROCESS_NAME, message->program->name);
	proto_write_end(out, process);
	proto_write_end(out, descriptor);
	proto_write_end(out, packet);
}

void perfetto_packet_thread(struct render_buffer *out,
	const struct track *track, const struct track *process,
	const struct message *message)
{
	size_t packet = perfetto_packet_begin(out, PACKET_NEEDS_STATE);
	size_t descriptor = proto_write_begin(out, PACKET_TRACK_DESCRIPTOR);
	size_t thread;

	proto_write_unsigned(out, DESCRIPTOR_UUID, track->number);
	if (process)
		proto_write_unsigned(out, DESCRIPTOR_PARENT, process->number);
	thread = proto_write_begin(out, DESCRIPTOR_THREAD);
	proto_write_integer(out, THREAD_PID, (int32_t)message->pid);
	proto_write_integer(out, THREAD_TID, (int32_t)message->tid);
	proto_write_word(out, THREAD_NAME, message->thread);
	proto_write_end(out, thread);
	proto_write_end(out, descriptor);
	proto_write_end(out, packet);
}

void perfetto_packet_annotate(struct render_buffer *out, const char *name,
	const char *text, size_t bytes)
{
	size_t annotation = proto_write_begin(out, EVENT_ANNOTATION);

	proto_write_word(out, ANNOTATION_NAME, name);
	proto_write_text(out, ANNOTATION_STRING, text, bytes);
	proto_write_end(out, annotation);
}

static void put_track(
	struct render_buffer *out, uint64_t number, const char *name)
{
	size_t packet = perfetto_packet_begin(out, PACKET_NEEDS_STATE);
	size_t descriptor = proto_write_begin(out, PACKET_TRACK_DESCRIPTOR);

	proto_write_unsigned(out, DESCRIPTOR_UUID, number);
	proto_write_word(out, DESCRIPTOR_NAME, name);
	proto_write_end(out, descriptor);
	proto_write_end(out, packet);
}

static size_t begin_event(struct render_buffer *out, enum event_type type,
	uint64_t track, uint64_t wall)
{
	size_t event;

	proto_write_unsigned(out, PACKET_TIMESTAMP, wall);
	event = proto_write_begin(out, PACKET_TRACK_EVENT);
	proto_write_unsigned(out, EVENT_TYPE, type);
	proto_write_unsigned(out, EVENT_TRACK, track);
	return event;
}

/* Tracks that have one name are drawn as one. */
void perfetto_packet_span(struct render_buffer *out, const struct span *span,
	const char *rule, uint64_t number)
{
	uint64_t track = SPAN_TRACKS + number;
	size_t packet, event;

	put_track(out, track, rule);
	packet = perfetto_packet_begin(out, PACKET_NEEDS_STATE);
	event = begin_event(out, EVENT_BEGIN, track, span->begin.wall);
	proto_write_word(out, EVENT_NAME, rule);
	proto_write_word(out, EVENT_CATEGORY, "span");
	perfetto_packet_annotate(
		out, "binlog message", span->text, span->text_bytes);
	if (span->key_bytes > 0)
		perfetto_packet_annotate(
			out, "binlog key", span->key, span->key_bytes);
	proto_write_end(out, event);
	proto_write_end(out, packet);
	if (!span->ended)
		return;
	packet = perfetto_packet_begin(out, PACKET_NEEDS_STATE);
	event = begin_event(out, EVENT_END, track, span->end.wall);
	proto_write_end(out, event);
	proto_write_end(out, packet);
}
