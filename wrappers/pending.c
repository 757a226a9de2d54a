#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/held.h"
#include "shim/writer/position.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * What a program is told of the buffer of a FILE whose text is recorded and
 * not written: what natively would be in it.
 */

static bool is_replaced(unsigned stream)
{
	return stream != STREAM_PASS && !streams[stream].tee;
}

/* Bytes; of a wide FILE libc would count characters, of which most are one. */
size_t pending_bytes(const struct call *call, FILE *file)
{
	unsigned stream = streams_of_any_file(file);
	size_t real;

	if (!is_replaced(stream))
		return next___fpending(file);
	state_drain(call, file);
	real = next___fpending(file);
	position_settle();
	/* Who asks before anything is said will ask again. */
	held_watch(file, stream);
	return real + (size_t)held_bytes(file);
}

/* What macros have left is on record before it is dropped. */
void pending_purge(const struct call *call, FILE *file)
{
	unsigned stream = streams_of_any_file(file);

	state_drain(call, file);
	if (stream != STREAM_PASS && streams_flush(stream)) {
		if (is_replaced(stream))
			position_purged(stream);
		capture_event(call, stream, BINLOG_TEXT_PURGE, 0);
	}
	next___fpurge(file);
	stdio_buffer_flushed(file);
}

/* libc gives a FILE its buffer with the first text. */
size_t pending_buffer(FILE *file)
{
	unsigned stream = streams_of_any_file(file);
	size_t size = next___fbufsize(file);

	if (size != 0 || !is_replaced(stream))
		return size;
	position_settle();
	if (streams[stream].said == 0)
		return 0;
	return streams[stream].buffering == BINLOG_BUFFER_NONE
		       ? 1
		       : streams[stream].buffer_bytes;
}
