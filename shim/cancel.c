#include "shim/cancel.h"

#include "shim/host.h"
#include "shim/stdio_turn.h"
#include "shim/streams.h"
#include "shim/writer.h"

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

COLD void cancel_before_slow(unsigned stream)
{
	if (streams[stream].buffering == BINLOG_BUFFER_NONE)
		ask();
}

COLD bool cancel_matters(const struct writer *w, unsigned stream)
{
	return streams[stream].buffering != BINLOG_BUFFER_FULL ||
	       w->cancel_counts ||
	       w->cancel_seen !=
		       __atomic_load_n(&cancel_requests, __ATOMIC_RELAXED);
}

/*
 * How full the buffer natively is nobody knows: so many bytes later than it was
 * asked for, at most, the thread ends.
 */
static void count(unsigned stream, size_t size)
{
	uint32_t requests = __atomic_load_n(&cancel_requests, __ATOMIC_RELAXED);
	struct writer *w = writer_current();
	size_t room = streams[stream].buffer_bytes;

	if (!w->armed ||
		(!w->cancel_counts && w->cancel_seen == requests && !w->filled))
		return;
	if (!w->cancel_counts) {
		w->cancel_counts = true;
		w->cancel_said = 0;
		w->cancel_seen = requests;
	}
	w->cancel_said += size;
	if (w->cancel_said < (room ? room : BUFFER_USUAL) && !w->filled)
		return;
	w->cancel_counts = false;
	w->filled = false;
	if (w->nesting == 0)
		ask();
}

COLD void cancel_after_slow(unsigned stream, size_t size, bool is_line)
{
	switch (streams[stream].buffering) {
	case BINLOG_BUFFER_LINE:
		if (is_line)
			ask();
		break;
	case BINLOG_BUFFER_FULL:
		count(stream, size);
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
