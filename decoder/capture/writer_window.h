/*
 * What a writer's stream has read of the block that it is in: a window, which
 * is as small as its records allow.  Called by writer_stream.c alone; promises
 * that what is in the window was committed as a whole if its first word was,
 * also where the writer goes on meanwhile.
 */
#ifndef DECODER_WRITER_WINDOW_H
#define DECODER_WRITER_WINDOW_H

#include "base/cursor.h"
#include "decoder/capture/writer_stream.h"

/* Where in the block the next record begins. */
static inline uint32_t writer_window_position(
	const struct writer_stream *stream)
{
	return stream->window_end -
	       (uint32_t)(stream->window_bytes - stream->window_at);
}

/* Somebody may be writing to the block. */
bool writer_window_is_open(const struct writer_stream *stream);

/* Nothing of it is needed any more. */
void writer_window_drop(struct writer_stream *stream);

/* Twice as large, or the first one.  False: out of memory, reported. */
bool writer_window_enlarge(struct writer_stream *stream);

/* More of the block into the window.  False: there is no more. */
bool writer_window_more(struct writer_stream *stream);

/* A cursor over at least `size` bytes of the next record, if there are any. */
struct cursor writer_window_look(struct writer_stream *stream, size_t size);

/*
 * All that is there was read, and the window is dropped.  A handler that jumps
 * out of a call may take the last record back, and another one takes its place:
 * then the stream goes on with that one.
 */
void writer_window_wait(struct writer_stream *stream);

/* False: there is nothing more still. */
bool writer_window_resume(struct writer_stream *stream);

#endif
