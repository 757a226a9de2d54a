#include <aio.h>

#include "shim/host/host.h"
#include "shim/host/sys.h"
#include "shim/writer/position.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * aio_write() and lio_listio(), which glibc does by threads of its own.  What
 * goes to an output that is not written is done at once, as a fast disk would;
 * to one that is written, too, it is recorded when libc has taken it.
 */

/* As many requests of one list as are looked at. */
#define LIST_MAX 1024u

static unsigned stream_of(const struct aiocb *request)
{
	/* Let libc say what is wrong with others. */
	if (request->aio_nbytes == 0 || request->aio_nbytes > 0x7ffff000 ||
		request->aio_offset < 0 || request->aio_reqprio != 0 ||
		!sys_are_readable((const void *)(uintptr_t)request->aio_buf,
			request->aio_nbytes))
		return STREAM_PASS;
	return streams_of(request->aio_fildes);
}

static const void *bytes_of(const struct aiocb *request)
{
	return (const void *)(uintptr_t)request->aio_buf;
}

/* Of what has no offsets libc makes a write(). */
static void put(const struct call *call, unsigned stream, struct aiocb *request)
{
	int kept = errno;
	int cancel = PTHREAD_CANCEL_ENABLE;
	ssize_t written;

	host_pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (S_ISREG(streams[stream].mode))
		written = write_at(call, request->aio_fildes, bytes_of(request),
			request->aio_nbytes, request->aio_offset);
	else
		written = write_bytes(call, request->aio_fildes,
			bytes_of(request), request->aio_nbytes);
	host_pthread_setcancelstate(cancel, NULL);
	request->__return_value = written;
	__atomic_store_n(&request->__error_code, written < 0 ? errno : 0,
		__ATOMIC_RELEASE);
	errno = kept;
}

/* Libc has it: what is said by it comes here in the order. */
static void note_taken(
	const struct call *call, unsigned stream, const struct aiocb *request)
{
	int kept = errno;
	size_t done = request->aio_nbytes;

	if (S_ISREG(streams[stream].mode))
		done = capture_bytes_at(call, stream, request->aio_offset,
			bytes_of(request), done);
	else if (!capture_bytes(call, stream, BINLOG_TEXT_BYTES,
			 bytes_of(request), done))
		done = 0;
	if (done < request->aio_nbytes)
		writer_count_passed();
	errno = kept;
}

/* As at the end of a request: a list with nothing in it is at its end. */
static void tell(struct sigevent *event)
{
	int kept = errno;

	if (event->sigev_notify != SIGEV_NONE)
		next_lio_listio(LIO_NOWAIT, NULL, 0, event);
	errno = kept;
}

int asynchronous_write(const struct call *call, struct aiocb *request)
{
	unsigned stream = stream_of(request);
	int result;

	if (stream == STREAM_PASS)
		return next_aio_write(request);
	if (streams[stream].tee) {
		result = next_aio_write(request);
		if (result == 0)
			note_taken(call, stream, request);
		return result;
	}
	put(call, stream, request);
	tell(&request->aio_sigevent);
	return 0;
}

/* Requests that are done already are none to libc. */
struct done {
	uint64_t bits[LIST_MAX / 64];
};

static bool is_done(const struct done *done, int i)
{
	return (unsigned)i < LIST_MAX && done->bits[i / 64] >> i % 64 & 1;
}

static void do_some(const struct call *call, struct aiocb *const *list,
	int count, struct done *done)
{
	for (int i = 0; i < count && (unsigned)i < LIST_MAX; i++) {
		struct aiocb *request = list[i];
		unsigned stream;

		if (!request || request->aio_lio_opcode != LIO_WRITE)
			continue;
		stream = stream_of(request);
		if (stream == STREAM_PASS || streams[stream].tee)
			continue;
		put(call, stream, request);
		request->aio_lio_opcode = LIO_NOP;
		done->bits[i / 64] |= (uint64_t)1 << i % 64;
	}
}

int asynchronous_list(const struct call *call, int mode,
	struct aiocb *const *list, int count, struct sigevent *event)
{
	struct done done = {{0}};
	int result;

	if ((mode != LIO_WAIT && mode != LIO_NOWAIT) || !list)
		return next_lio_listio(mode, list, count, event);
	do_some(call, list, count, &done);
	result = next_lio_listio(mode, list, count, event);
	for (int i = 0; i < count; i++) {
		struct aiocb *request = list[i];
		unsigned stream;

		if (is_done(&done, i)) {
			request->aio_lio_opcode = LIO_WRITE;
			tell(&request->aio_sigevent);
			continue;
		}
		if (!request || request->aio_lio_opcode != LIO_WRITE)
			continue;
		stream = stream_of(request);
		if (stream != STREAM_PASS && (result == 0 || errno != EAGAIN))
			note_taken(call, stream, request);
	}
	return result;
}
