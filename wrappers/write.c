#include "shim/bytes.h"
#include "shim/host.h"
#include "shim/ownership.h"
#include "shim/stdio_buffer.h"
#include "shim/streams.h"
#include "shim/sys.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* Bytes of a vector that are put together, on the host's stack. */
#define TOGETHER 1024

static bool record_or_count(
	const struct call *call, unsigned stream, const void *p, size_t size)
{
	if (capture_bytes(call, stream, BINLOG_TEXT_BYTES, p, size))
		return true;
	writer_count_passed();
	return false;
}

static bool record(
	const struct call *call, unsigned stream, const void *p, size_t size)
{
	stdio_buffer_catch_up(call);
	return record_or_count(call, stream, p, size);
}

/*
 * The kernel would answer EFAULT, or write what can be read: let it.  Only the
 * ends are looked at; what lies between is taken to be mapped, too.
 */
static bool is_readable(const void *p, size_t size)
{
	return sys_forbidden || size == 0 || sys_are_readable(p, size);
}

ssize_t write_bytes(const struct call *call, int fd, const void *p, size_t size)
{
	unsigned stream = streams_of(fd);
	ssize_t written;

	/* Linux writes at most 0x7ffff000 bytes: see write(2), NOTES. */
	if (stream == STREAM_PASS || size == 0 || size > 0x7ffff000)
		return next_write(fd, p, size);
	if (unlikely(!is_readable(p, size))) {
		written = next_write(fd, p, size);
		if (written > 0)
			writer_count_passed();
		return written;
	}
	if (unlikely(streams[stream].tee)) {
		struct writer *w = ownership_begin(call->sp);

		written = next_write(fd, p, size);
		if (written > 0)
			record_or_count(call, stream, p, (size_t)written);
		ownership_end(w);
		return written;
	}
	host_pthread_testcancel();
	if (unlikely(!record(call, stream, p, size)))
		return next_write(fd, p, size);
	return (ssize_t)size;
}

/* One call, one record, as long as it is short. */
static bool record_together(const struct call *call, unsigned stream,
	const struct iovec *v, int count, size_t total)
{
	char bytes[TOGETHER];
	size_t at = 0;

	if (total > sizeof(bytes))
		return false;
	stdio_buffer_catch_up(call);
	for (int i = 0; i < count; i++) {
		bytes_copy(bytes + at, v[i].iov_base, v[i].iov_len);
		at += v[i].iov_len;
	}
	return capture_bytes(call, stream, BINLOG_TEXT_BYTES, bytes, total);
}

static ssize_t replace_vector(const struct call *call, unsigned stream, int fd,
	const struct iovec *v, int count)
{
	ssize_t done = 0, rest;

	for (int i = 0; i < count; i++) {
		if (v[i].iov_len == 0)
			continue;
		if (!record(call, stream, v[i].iov_base, v[i].iov_len)) {
			rest = next_writev(fd, v + i, count - i);
			return rest < 0 && done == 0 ? rest
			       : rest < 0	     ? done
						     : done + rest;
		}
		done += (ssize_t)v[i].iov_len;
	}
	return done;
}

static void record_written(const struct call *call, unsigned stream,
	const struct iovec *v, size_t written)
{
	for (; written > 0; v++) {
		size_t part = v->iov_len < written ? v->iov_len : written;

		if (part > 0)
			record_or_count(call, stream, v->iov_base, part);
		written -= part;
	}
}

ssize_t write_vector(
	const struct call *call, int fd, const struct iovec *v, int count)
{
	unsigned stream = streams_of(fd);
	size_t total = 0;
	ssize_t written;
	struct writer *w;

	if (stream != STREAM_PASS && count > 0 && count <= IOV_MAX &&
		!is_readable(v, (size_t)count * sizeof(*v)))
		stream = STREAM_PASS;
	for (int i = 0; stream != STREAM_PASS && i < count && i < IOV_MAX; i++)
		if (__builtin_add_overflow(total, v[i].iov_len, &total) ||
			!is_readable(v[i].iov_base, v[i].iov_len))
			stream = STREAM_PASS;
	if (stream == STREAM_PASS || count <= 0 || count > IOV_MAX ||
		total == 0 || total > 0x7ffff000)
		return next_writev(fd, v, count);
	if (likely(!streams[stream].tee)) {
		host_pthread_testcancel();
		if (record_together(call, stream, v, count, total))
			return (ssize_t)total;
		return replace_vector(call, stream, fd, v, count);
	}
	w = ownership_begin(call->sp);
	written = next_writev(fd, v, count);
	if (written > 0)
		record_written(call, stream, v, (size_t)written);
	ownership_end(w);
	return written;
}
