#include "shim/stdio/cancel.h"

#include "shim/host/host.h"
#include "shim/streams/held.h"
#include "shim/streams/streams.h"
#include "shim/writer/position.h"
#include "shim/writer/stdio_turn.h"
#include "shim/writer/writer.h"

/* A FILE of whose buffer nothing is known takes so many bytes. */
#define BUFFER_USUAL 4096u

uint32_t cancel_requests;

void cancel_requested(void)
{
	uint32_t requests =
		__atomic_load_n(&cancel_requests, __ATOMIC_RELAXED) + 1;

	__atomic_store_n(
		&cancel_requests, requests ? requests : 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_or(
		&stdio_turn_matters, STDIO_TURN_CANCELS, __ATOMIC_SEQ_CST);
	streams_changed();
}

static COLD void ask(void)
{
	int kept = errno;

	host_pthread_testcancel();
	errno = kept;
}

/* The thread has not been asked yet for the last request. */
static bool is_due(const struct writer *w)
{
	return w->armed && w->cancel_seen != __atomic_load_n(&cancel_requests,
						     __ATOMIC_RELAXED);
}

static void ask_once(struct writer *w)
{
	w->cancel_seen = __atomic_load_n(&cancel_requests, __ATOMIC_RELAXED);
	w->filled = false;
	if (w->nesting == 0)
		ask();
}

/* What the FILE holds back before the text.  A block that fills an empty buffer
 * is written from where it is: who is cancelled there loses it.  Of lines none
 * is taken to be held back. */
static void look_before(unsigned stream, size_t block)
{
	size_t room = streams[stream].buffer_bytes;
	struct writer *w = writer_current();
	uint64_t held;

	if (!streams[stream].file || (w->armed && !is_due(w)))
		return;
	position_settle();
	held = held_bytes(streams[stream].file);
	if (w->armed)
		w->cancel_held = held;
	if (held > 0 || block < (room ? room : BUFFER_USUAL))
		return;
	if (w->armed)
		ask_once(w);
	else
		ask(); /* before the first text of this thread */
}

/* It has filled the buffer if that does not hold all of it. */
static void look_after(unsigned stream, size_t size)
{
	struct writer *w = writer_current();

	if (!streams[stream].file || !w->armed)
		return;
	if (!is_due(w)) {
		/* It went the short ways since; so once for each block. */
		if (w->filled)
			ask_once(w);
		return;
	}
	position_settle();
	if (held_bytes(streams[stream].file) < w->cancel_held + size)
		ask_once(w);
}

COLD void cancel_before_slow(unsigned stream, size_t block)
{
	if (streams[stream].buffering == BINLOG_BUFFER_NONE)
		ask();
	else
		look_before(stream, block);
}

COLD void cancel_before_character_slow(unsigned stream)
{
	if (streams[stream].buffering == BINLOG_BUFFER_FULL)
		look_before(stream, 0);
}

COLD bool cancel_matters(const struct writer *w, unsigned stream)
{
	return streams[stream].buffering != BINLOG_BUFFER_FULL || is_due(w);
}

COLD void cancel_after_slow(unsigned stream, size_t size, bool is_line)
{
	switch (streams[stream].buffering) {
	case BINLOG_BUFFER_LINE:
		if (is_line)
			ask();
		break;
	case BINLOG_BUFFER_FULL:
		look_after(stream, size);
	}
}

COLD void cancel_after_character_slow(unsigned stream, int c)
{
	if (streams[stream].buffering == BINLOG_BUFFER_NONE)
		ask();
	else
		cancel_after_slow(stream, 1, (unsigned char)c == '\n');
}

COLD void cancel_before_flush(const FILE *file)
{
	if (file ? streams_pending(file) != STREAM_PASS : streams_hold_back())
		ask();
}

COLD int cancel_disable(void)
{
	int kept = errno, state = PTHREAD_CANCEL_ENABLE;

	host_pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	errno = kept;
	return state;
}

COLD void cancel_restore(int state)
{
	int kept = errno;

	host_pthread_setcancelstate(state, NULL);
	errno = kept;
}
