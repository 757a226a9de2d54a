#include "decoder/capture/writer_window.h"

#include <stdlib.h>
#include <string.h>

/*
 * 25,000 writers may be open at once, and each has a window: those of writers
 * that say little are small, and so are all where there are too many.
 */
#define WINDOW_FIRST 512u
#define WINDOW_BYTES 4096u
#define ALL_WINDOWS ((size_t)5 << 20)

static size_t all_windows; /* bytes, of all streams */

bool writer_window_is_open(const struct writer_stream *stream)
{
	return stream->live && stream->block + 1 == stream->blocks_end;
}

void writer_window_drop(struct writer_stream *stream)
{
	free(stream->window);
	all_windows -= stream->window_room;
	stream->window = NULL;
	stream->window_room = stream->window_bytes = stream->window_at = 0;
	stream->window_open = false;
}

/* No more than BINLOG_BLOCK_MAX: nobody looks at more than a block has. */
bool writer_window_enlarge(struct writer_stream *stream)
{
	size_t room =
		stream->window_room ? stream->window_room * 2 : WINDOW_FIRST;
	uint8_t *window;

	window = realloc(stream->window, room);
	if (!window) {
		recording_report(stream->capture, ERROR_MEMORY,
			stream->block->offset, 0);
		return false;
	}
	stream->window = window;
	all_windows += room - stream->window_room;
	stream->window_room = room;
	return true;
}

static size_t read_closed(
	struct writer_stream *stream, uint64_t offset, void *into, size_t size)
{
	return recording_read(stream->capture, offset, into, size);
}

/*
 * Of a block that is being written, up to what has changed while it was read:
 * a record whose first word was there the first time was whole the second.
 */
static size_t read_open(
	struct writer_stream *stream, uint64_t offset, void *into, size_t size)
{
	uint8_t again[WINDOW_BYTES];
	const uint8_t *first = into;
	size_t same = 0;
	size_t n;

	if (size > sizeof(again))
		size = sizeof(again);
	n = recording_read(stream->capture, offset, into, size);
	n = recording_read(stream->capture, offset, again, n);
	if (memcmp(first, again, n) == 0)
		return n & ~(size_t)3;
	while (first[same] == again[same])
		same++;
	return same & ~(size_t)3;
}

/* Whoever asks for more than the first window often asks for much more. */
static bool is_too_small(const struct writer_stream *stream)
{
	return stream->window_room < WINDOW_BYTES && stream->window_bytes > 0 &&
	       all_windows < ALL_WINDOWS;
}

bool writer_window_more(struct writer_stream *stream)
{
	size_t kept = stream->window_bytes - stream->window_at;
	bool open = writer_window_is_open(stream);
	bool small = is_too_small(stream);
	size_t wanted, n;

	if (stream->window_end >= stream->block_end)
		return false;
	if (kept > 0 && stream->window_at > 0)
		memmove(stream->window, stream->window + stream->window_at,
			kept);
	stream->window_at = 0;
	stream->window_bytes = kept;
	if ((kept >= stream->window_room || small) &&
		!writer_window_enlarge(stream))
		return false;
	wanted = stream->window_room - kept;
	if (wanted > stream->block_end - stream->window_end)
		wanted = stream->block_end - stream->window_end;
	n = (open ? read_open : read_closed)(stream,
		stream->block->offset + stream->window_end,
		stream->window + kept, wanted);
	stream->window_open |= open;
	stream->window_bytes += n;
	stream->window_end += (uint32_t)n;
	if (n < wanted && !open)
		stream->block_end = stream->window_end;
	return n > 0;
}

struct cursor writer_window_look(struct writer_stream *stream, size_t size)
{
	while (stream->window_bytes - stream->window_at < size &&
		writer_window_more(stream))
		;
	return cursor_over(stream->window + stream->window_at,
		stream->window_bytes - stream->window_at);
}

void writer_window_wait(struct writer_stream *stream)
{
	uint32_t now = writer_window_position(stream);
	uint32_t bytes = now - stream->last_start;

	stream->last_bytes = 0;
	if (bytes <= stream->window_at) {
		stream->last_bytes = bytes < sizeof(stream->last)
					     ? bytes
					     : sizeof(stream->last);
		memcpy(stream->last, stream->window + stream->window_at - bytes,
			stream->last_bytes);
	}
	writer_window_drop(stream);
	stream->window_end = now;
	stream->state = WRITER_WAITS;
}

/* The record before is still what it was when it was read. */
static bool is_unchanged(struct writer_stream *stream)
{
	uint8_t now[sizeof(stream->last)];

	return stream->last_bytes == 0 ||
	       (recording_read(stream->capture,
			stream->block->offset + stream->last_start, now,
			stream->last_bytes) == stream->last_bytes &&
		       memcmp(now, stream->last, stream->last_bytes) == 0);
}

bool writer_window_resume(struct writer_stream *stream)
{
	uint32_t first = 0;

	recording_read(stream->capture,
		stream->block->offset + stream->window_end, &first,
		sizeof(first));
	if (first == 0 && writer_window_is_open(stream))
		return false;
	if (!is_unchanged(stream))
		stream->window_end = stream->last_start;
	return writer_window_enlarge(stream);
}
