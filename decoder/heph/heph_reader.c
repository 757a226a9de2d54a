#include "decoder/heph/heph_reader.h"

#include <stdlib.h>

#include "base/limits.h"
#include "decoder/heph/heph_file.h"
#include "decoder/heph/heph_message.h"

struct heph_reader {
	struct heph_file file;
	struct recording *capture;
	struct heph_messages *messages;
	uint64_t epoch;
	struct id_map counters; /* by stream: see expect() */
};

static void report(struct heph_reader *reader, enum error_code code,
	uint64_t offset, uint64_t number)
{
	error_add(reader->file.errors, &(struct error){
					       .code = code,
					       .file = reader->file.path,
					       .offset = offset,
					       .number = number,
				       });
}

/* Of several the last one holds.  False: there is none. */
static bool find_epoch(const char *path, uint64_t *epoch)
{
	struct heph_file file;
	struct heph_packet packet;
	bool found = false;

	if (!heph_file_open(&file, path, NULL))
		return false;
	while (heph_file_next(&file, &packet))
		if (!packet.event)
			found = heph_read_epoch(packet.body, epoch) || found;
	heph_file_close(&file);
	return found;
}

struct heph_reader *heph_reader_new(
	const char *path, struct packed_captures *captures)
{
	struct heph_reader *reader = calloc(1, sizeof(*reader));
	bool found;

	if (!reader)
		return NULL;
	reader->capture = packed_capture_make(captures, path);
	if (reader->capture)
		reader->messages = heph_messages_new(reader->capture);
	if (!reader->messages ||
		!heph_file_open(&reader->file, path, captures->errors)) {
		heph_messages_free(reader->messages);
		free(reader);
		return NULL;
	}
	found = find_epoch(path, &reader->epoch);
	reader->capture->header.clock = BINLOG_CLOCK_MONOTONIC;
	reader->capture->header.start.realtime = reader->epoch;
	if (!found)
		report(reader, ERROR_HEPH_EPOCH, 0, 0);
	return reader;
}

/* Not before it, and not later than can be said. */
static uint64_t wall_of(const struct heph_reader *reader, uint64_t time)
{
	return time > UINT64_MAX - reader->epoch ? UINT64_MAX
						 : reader->epoch + time;
}

/* The counter of the next event, as a pointer that is not null. */
static void expect(struct heph_reader *reader, uint32_t stream, uint32_t next)
{
	id_map_set(
		&reader->counters, stream, (void *)((uintptr_t)next << 1 | 1));
}

/*
 * Counters go round.  One that goes back, or stays, is of a trace that does
 * not count, or of a stream that has begun anew.
 */
static void count(struct heph_reader *reader, const struct heph_event *event,
	uint64_t offset)
{
	uintptr_t known =
		(uintptr_t)id_map_find(&reader->counters, event->stream);
	uint32_t missed = event->counter - (uint32_t)(known >> 1);

	if (known && missed > 0 && missed <= INT32_MAX) {
		report(reader, ERROR_HEPH_MISSED, offset, missed);
		reader->capture->dropped += missed;
	}
	if (known ||
		!limits_reached(LIMIT_HEPH_STREAMS, reader->counters.count))
		expect(reader, event->stream, event->counter + 1);
}

static const struct message *message_of(
	struct heph_reader *reader, struct heph_packet *packet)
{
	const struct message *message;
	struct heph_event event;

	if (!heph_read_event(&packet->body, &event)) {
		report(reader, ERROR_HEPH_EVENT, packet->offset, 0);
		return NULL;
	}
	count(reader, &event, packet->offset);
	message = heph_message(reader->messages, &event, &packet->body,
		wall_of(reader, event.start));
	if (!message)
		report(reader, ERROR_MEMORY, packet->offset, 0);
	else if (cursor_left(&packet->body) > 0)
		report(reader, ERROR_HEPH_ATTRIBUTE, packet->offset,
			cursor_left(&packet->body));
	return message;
}

const struct message *heph_reader_next(struct heph_reader *reader)
{
	const struct message *message = NULL;
	struct heph_packet packet;
	uint64_t epoch;

	while (!message && heph_file_next(&reader->file, &packet)) {
		if (packet.event)
			message = message_of(reader, &packet);
		else if (!heph_read_epoch(packet.body, &epoch))
			report(reader, ERROR_HEPH_OPTION, packet.offset, 0);
	}
	return message;
}

void heph_reader_free(struct heph_reader *reader)
{
	if (!reader)
		return;
	heph_file_close(&reader->file);
	heph_messages_free(reader->messages);
	id_map_free(&reader->counters);
	free(reader);
}
