#include "shim/host/clock.h"
#include "shim/host/host.h"
#include "shim/host/objects.h"
#include "shim/stdio/cancel.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/held.h"
#include "shim/streams/locale_state.h"
#include "shim/streams/stream_order.h"
#include "shim/streams/streams.h"
#include "shim/writer/life.h"
#include "shim/writer/plan.h"
#include "shim/writer/position.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* Records what macros have left in the buffer of a replaced FILE. */
void state_drain(const struct call *call, FILE *file)
{
	unsigned stream = streams_of_file(file);

	if (stream != STREAM_PASS)
		stdio_buffer_drain(call, file, stream);
}

/*
 * What was held back for an output goes to what the descriptor is by now: a
 * file that is not recorded, or nothing.  False: libc would find that out, and
 * say so.
 */
static bool drop(const struct call *call, unsigned stream)
{
	FILE *file = (FILE *)(uintptr_t)streams[stream].file;

	position_purged(stream);
	capture_event(call, stream, BINLOG_TEXT_PURGE, 0);
	if (SYS3(fcntl, file->_fileno, F_GETFD, 0) != -EBADF)
		return true;
	file->_flags |= LIBIO_ERR_SEEN;
	return false;
}

/* The FILE of a stream that holds text back, or null. */
static FILE *holding(unsigned stream)
{
	return __atomic_load_n(&streams[stream].pending, __ATOMIC_RELAXED) ==
			       PENDING_SOMETHING
		       ? (FILE *)(uintptr_t)streams[stream].file
		       : NULL;
}

void state_follow(const struct call *call)
{
	int kept = errno;

	for (unsigned i = STREAM_FIRST; i < streams_count(); i++) {
		const FILE *file = holding(i);
		unsigned now = file ? streams_of_any_file(file) : i;

		if (now == i || now == STREAM_PASS || !streams_flush(i))
			continue;
		/* What is written, too, is in the buffer, and drained there if
		 * it is not from now on. */
		if (streams[i].tee && !streams[now].tee) {
			drop(call, i);
			continue;
		}
		capture_event(call, now, BINLOG_TEXT_BUFFER, 0);
		streams_said(now);
	}
	errno = kept;
}

bool state_drop_strays(const struct call *call)
{
	bool written = true;

	for (unsigned i = STREAM_FIRST; i < streams_count(); i++) {
		FILE *file = holding(i);

		if (file && streams_of_any_file(file) == STREAM_PASS &&
			streams_flush(i))
			written &= drop(call, i);
	}
	return written;
}

/* Records that a FILE writes what it has held back.  False: it cannot. */
static bool flush(const struct call *call, FILE *file)
{
	unsigned stream = streams_of_any_file(file);

	if (stream == STREAM_PASS) {
		stream = streams_pending(file);
		if (stream != STREAM_PASS && streams_flush(stream))
			return drop(call, stream);
	} else if (streams_flush(stream)) {
		position_flushed(stream);
		/* It may have filled a buffer, so it has to be known before. */
		stdio_buffer_catch_up(call);
		capture_event(call, stream, BINLOG_TEXT_FLUSH, 0);
	}
	return true;
}

bool state_settle(const struct call *call, FILE *file)
{
	if (unlikely(cancel_is_on()))
		cancel_before_flush(file);
	if (file->_IO_write_ptr != file->_IO_write_base)
		state_drain(call, file);
	return flush(call, file);
}

static bool flush_all(const struct call *call)
{
	bool written;

	if (unlikely(cancel_is_on()))
		cancel_before_flush(NULL);
	state_follow(call);
	stdio_buffer_drain_all(call);
	written = state_drop_strays(call);
	if (streams_flush_all()) {
		position_flushed_all();
		capture_event(call, 0, BINLOG_TEXT_FLUSH, 0);
	}
	return written;
}

/*
 * What another thread puts into the buffer once libc has emptied it is not what
 * was known of it before: nobody comes in between.
 */
static void hold(struct call_turn *turn, FILE *file)
{
	unsigned stream = streams_of_any_file(file);

	if (stream == STREAM_PASS ||
		!(streams[stream].tee || stdio_buffer_passed))
		return;
	turn->file = file;
	stdio_turn_take(turn);
}

int state_fflush(const struct call *call, FILE *file, int (*next)(FILE *))
{
	struct call_turn turn = {0};
	bool written;
	int result;

	if (file && next != next_fflush_unlocked)
		hold(&turn, file);
	written = file ? state_settle(call, file) : flush_all(call);
	result = next(file);
	stdio_buffer_flushed(file);
	stdio_turn_end(&turn);
	if (unlikely(!written)) {
		errno = EBADF;
		result = EOF;
	}
	return result;
}

/* Of the FILEs with lines, as _flushlbf(3) has it. */
void state_flush_lines(const struct call *call, void (*next)(void))
{
	stdio_buffer_drain_all(call);
	for (unsigned i = STREAM_FIRST; i < streams_count(); i++)
		if (streams[i].buffering == BINLOG_BUFFER_LINE &&
			streams[i].file && streams_flush(i)) {
			position_flushed(i);
			capture_event(call, i, BINLOG_TEXT_FLUSH, 0);
		}
	next();
	stdio_buffer_flushed(NULL);
}

/*
 * As setvbuf() of glibc flushes when it replaces the buffer, and only then.
 * Nobody needs to know if nothing has been said yet.
 */
static void before_buffer(const struct call *call, FILE *file, bool replaces)
{
	unsigned stream = streams_of_any_file(file);

	state_drain(call, file);
	if (stream == STREAM_PASS)
		return;
	if (unlikely(cancel_is_on()) && replaces)
		cancel_before_flush(file);
	position_settle();
	if (!replaces) {
		/* Natively it would have its buffer of one byte by now. */
		if (streams[stream].said > 0 && !file->_IO_buf_base &&
			file->_flags & LIBIO_UNBUFFERED)
			next___overflow(file, EOF);
	} else if (streams_flush(stream) || streams_has_said(file)) {
		position_flushed(stream);
		stdio_buffer_catch_up(call);
		capture_event(call, stream, BINLOG_TEXT_FLUSH, 1);
	}
}

/* A FILE was used with another buffer before: how full libc takes it to be may
 * be of the old one's making, which a child inherits. */
bool state_buffers_changed;

/* What the FILE holds back goes by its new way from here on. */
static void after_buffer(const struct call *call, FILE *file)
{
	unsigned stream = streams_of_any_file(file);
	bool used = stream != STREAM_PASS && streams_has_said(file);

	streams_forget_file(file);
	state_buffers_changed |= used;
	if (used)
		capture_event(
			call, streams_of_any_file(file), BINLOG_TEXT_BUFFER, 0);
}

int state_setvbuf(const struct call *call, FILE *file, char *buffer, int mode,
	size_t size, int (*next)(FILE *, char *, int, size_t))
{
	int result;

	before_buffer(call, file, buffer || mode == _IONBF);
	result = next(file, buffer, mode, size);
	if (result == 0)
		held_set_buffer(file, buffer, mode, size);
	after_buffer(call, file);
	return result;
}

void state_setbuffer(const struct call *call, FILE *file, char *buffer,
	size_t size, void (*next)(FILE *, char *, size_t))
{
	before_buffer(call, file, true);
	next(file, buffer, size);
	held_set_buffer(file, buffer, buffer ? _IOFBF : _IONBF, size);
	after_buffer(call, file);
}

void state_setbuf(const struct call *call, FILE *file, char *buffer)
{
	before_buffer(call, file, true);
	next_setbuf(file, buffer);
	held_set_buffer(file, buffer, buffer ? _IOFBF : _IONBF, BUFSIZ);
	after_buffer(call, file);
}

void state_setlinebuf(const struct call *call, FILE *file)
{
	before_buffer(call, file, false);
	next_setlinebuf(file);
	held_set_buffer(file, NULL, _IOLBF, 0);
	after_buffer(call, file);
}

/* The descriptor behind a FILE of any kind; -1 for none. */
static int descriptor(const FILE *file)
{
	return file->_flags & LIBIO_IS_FILEBUF ? file->_fileno : -1;
}

/* A FILE that is being closed, of which something waits to be written. */
struct closing {
	const struct call *call;
	unsigned stream;
};

static void drop_closing(void *argument)
{
	const struct closing *closing = argument;

	if (streams_flush(closing->stream))
		drop(closing->call, closing->stream);
}

/*
 * glibc's fclose() forgets a FILE before it writes what is left: who is
 * cancelled there loses that.  Returns the stream whose text is written by
 * libc, which offers it then, or STREAM_PASS.
 */
static COLD unsigned offer_cancel(const struct call *call, const FILE *file)
{
	struct closing closing = {call, streams_pending(file)};
	struct _pthread_cleanup_buffer buffer;

	if (closing.stream == STREAM_PASS || streams[closing.stream].tee)
		return closing.stream;
	host__pthread_cleanup_push(&buffer, drop_closing, &closing);
	host_pthread_testcancel();
	host__pthread_cleanup_pop(&buffer, 0);
	return STREAM_PASS;
}

static COLD int close_written(const struct call *call, unsigned stream,
	FILE *file, int (*next)(FILE *))
{
	struct closing closing = {call, stream};
	struct _pthread_cleanup_buffer buffer;
	int result;

	host__pthread_cleanup_push(&buffer, drop_closing, &closing);
	result = next(file);
	host__pthread_cleanup_pop(&buffer, 0);
	if (streams_flush(stream))
		capture_event(call, stream, BINLOG_TEXT_FLUSH, 0);
	return result;
}

int state_fclose(const struct call *call, FILE *file, int (*next)(FILE *))
{
	unsigned written = STREAM_PASS;
	int fd = descriptor(file);
	int result;

	state_drain(call, file);
	if (unlikely(cancel_is_on()))
		written = offer_cancel(call, file);
	if (likely(written == STREAM_PASS))
		flush(call, file);
	leave_descriptor(call, fd);
	stdio_buffer_forget(file);
	held_forget(file);
	stream_order_closed(file);
	if (fd >= 0)
		streams_forget(fd);
	result = likely(written == STREAM_PASS)
			 ? next(file)
			 : close_written(call, written, file, next);
	if (fd >= 0)
		streams_forget(fd);
	return result;
}

int state_fcloseall(const struct call *call)
{
	int result;

	flush_all(call);
	streams_forget_range(0, STREAMS_FDS - 1);
	result = next_fcloseall();
	streams_forget_range(0, STREAMS_FDS - 1);
	return result;
}

FILE *state_freopen(const struct call *call, const char *path, const char *mode,
	FILE *file, FILE *(*next)(const char *, const char *, FILE *))
{
	int fd = descriptor(file);
	FILE *result;

	state_drain(call, file);
	if (unlikely(cancel_is_on()))
		cancel_before_flush(file);
	flush(call, file);
	leave_descriptor(call, fd);
	held_forget(file);
	if (fd >= 0)
		streams_forget(fd);
	result = next(path, mode, file);
	if (fd >= 0)
		streams_forget(fd);
	if (!result)
		stream_order_closed(file);
	if (result && descriptor(result) >= 0) {
		streams_forget(descriptor(result));
		reopen_stdio(call, result, mode);
	}
	return result;
}

/*
 * Natively a FILE asks with its first output whether it is on a terminal, and
 * has lines from then on, whatever its descriptor becomes.  One whose text was
 * recorded has not asked yet.  In memory of others that is left to them.
 */
static void keep_lines(int fd)
{
	uint64_t slot = (unsigned)fd < STREAMS_FDS
				? __atomic_load_n(&streams_slots[fd].of_stdio,
					  __ATOMIC_ACQUIRE)
				: 0;
	const struct stream *stream = &streams[slot & STREAMS_MAX];
	FILE *file = (FILE *)(uintptr_t)(slot >> STREAMS_BITS);

	/* One with another number by now may be closed, and freed. */
	if (likely(!file || !stream->terminal ||
		    stream->buffering != BINLOG_BUFFER_LINE) ||
		file->_fileno != fd || file->_IO_buf_base ||
		file->_flags & LIBIO_LINE_BUFFERED || process_is_borrowed())
		return;
	position_settle();
	if (streams_has_said(file))
		__atomic_fetch_or(
			&file->_flags, LIBIO_LINE_BUFFERED, __ATOMIC_RELAXED);
}

/*
 * What is known of descriptors that change is forgotten before and after: what
 * another thread decides on one that it has just been given stays, or is
 * decided anew; what a handler decides in between does not stay.
 */
int state_close(int fd)
{
	int result;

	keep_lines(fd);
	if (fd >= 0)
		streams_forget(fd);
	result = next_close(fd);
	if (fd >= 0)
		streams_forget(fd);
	return result;
}

/* Higher ones of terminals are hardly ever closed together. */
static void keep_lines_range(unsigned first, unsigned last)
{
	for (unsigned fd = first; fd <= last && fd <= STDERR_FILENO; fd++)
		keep_lines((int)fd);
}

int state_close_range(unsigned first, unsigned last, int flags)
{
	int result;

	keep_lines_range(first, last);
	streams_forget_range(first, last);
	result = next_close_range(first, last, flags);
	streams_forget_range(first, last);
	return result;
}

void state_closefrom(int first)
{
	unsigned from = first < 0 ? 0 : (unsigned)first;

	keep_lines_range(from, UINT_MAX);
	streams_forget_range(from, UINT_MAX);
	next_closefrom(first);
	streams_forget_range(from, UINT_MAX);
}

int state_dup2(const struct call *call, int from, int to)
{
	int result;

	keep_lines(to);
	if (to >= 0)
		streams_forget(to);
	result = next_dup2(from, to);
	if (to >= 0)
		streams_forget(to);
	if (result >= 0)
		state_follow(call);
	return result;
}

int state_dup3(const struct call *call, int from, int to, int flags)
{
	int result;

	keep_lines(to);
	if (to >= 0)
		streams_forget(to);
	result = next_dup3(from, to, flags);
	if (to >= 0)
		streams_forget(to);
	if (result >= 0)
		state_follow(call);
	return result;
}

/* It opens a terminal as 0, 1 and 2 inside libc. */
int state_login_tty(int fd)
{
	int result;

	streams_forget_range(0, 2);
	result = next_login_tty(fd);
	streams_forget_range(0, 2);
	return result;
}

/* Directives may mean anything from here on: texts are made at once. */
int state_register(int result)
{
	plan_always_at_once = true;
	process_changed();
	return result;
}

/* From here on threads keep groups of calls together. */
void state_flockfile(FILE *file)
{
	stdio_turn_begin();
	next_flockfile(file);
}

int state_ftrylockfile(FILE *file)
{
	stdio_turn_begin();
	return next_ftrylockfile(file);
}

/*
 * From here on calls are asked whether they are cancelled.  A thread may have
 * asked in vain between the first and the second time.
 */
int state_cancel(pthread_t thread)
{
	int result;

	if (thread == host_pthread_self())
		life_watch_thread();
	cancel_requested(thread);
	result = next_pthread_cancel(thread);
	cancel_requested(thread);
	return result;
}

_Noreturn void state_exit_thread(void *value)
{
	life_thread_ends();
	next_pthread_exit(value);
	__builtin_unreachable();
}

_Noreturn void state_exit_thrd(int value)
{
	life_thread_ends();
	next_thrd_exit(value);
	__builtin_unreachable();
}

/* Addresses may be used again for something else. */
int state_dlclose(void *handle)
{
	int result;

	objects_unloading();
	result = next_dlclose(handle);
	objects_unloaded();
	process_changed();
	return result;
}

char *state_setlocale(int category, const char *name)
{
	char *result = next_setlocale(category, name);

	if (name)
		locale_changed();
	return result;
}

/* From here on a thread may have a locale of its own. */
locale_t state_uselocale(locale_t locale)
{
	if (locale)
		locale_differs_by_thread();
	return next_uselocale(locale);
}
