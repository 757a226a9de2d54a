#include "shim/stdio/cancel.h"

#include "record/hash.h"
#include "shim/host/host.h"
#include "shim/record/capture.h"
#include "shim/streams/held.h"
#include "shim/streams/streams.h"
#include "shim/writer/life.h"
#include "shim/writer/position.h"
#include "shim/writer/stdio_turn.h"
#include "shim/writer/writer.h"

/* A FILE of whose buffer nothing is known takes so many bytes. */
#define BUFFER_USUAL 4096u

/* Who was cancelled lately, and by whom: the thread's address, of which these
 * bits are zeros, and the other's number. */
#define REQUESTS 256u
#define ALIGNMENT_BITS 6
#define ID_BITS 22

static uint64_t requests[REQUESTS];

uint32_t cancel_requests;

static uint64_t *request_of(pthread_t thread)
{
	return &requests[binlog_hash_word(5, thread) % REQUESTS];
}

static uint64_t address_of(pthread_t thread)
{
	return (uint64_t)thread >> ALIGNMENT_BITS << ID_BITS;
}

void cancel_requested(pthread_t thread)
{
	uint32_t count =
		__atomic_load_n(&cancel_requests, __ATOMIC_RELAXED) + 1;

	__atomic_store_n(request_of(thread),
		address_of(thread) | (uint64_t)SYS0(gettid), __ATOMIC_RELAXED);
	__atomic_store_n(&cancel_requests, count ? count : 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_or(
		&stdio_turn_matters, STDIO_TURN_CANCELS, __ATOMIC_SEQ_CST);
	streams_changed();
}

static COLD void ask(void)
{
	int kept = errno;

	life_watch_thread();
	host_pthread_testcancel();
	errno = kept;
}

/* 0: not known. */
static uint64_t who_cancelled(pthread_t thread)
{
	uint64_t request =
		__atomic_load_n(request_of(thread), __ATOMIC_RELAXED);
	uint64_t id = request & (((uint64_t)1 << ID_BITS) - 1);

	return request - id == address_of(thread) ? id : 0;
}

void cancel_unwinds(void *unused)
{
	const struct call call = CAPTURE_CALL("pthread_cancel", NULL);
	uint64_t who = cancel_is_on() ? who_cancelled(host_pthread_self()) : 0;

	(void)unused;
	/* longjmp() on a stack that libc does not know may get here, too. */
	if (who && !life_thread_has_ended())
		capture_event(&call, 0, BINLOG_TEXT_CANCELLED, (int64_t)who);
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
