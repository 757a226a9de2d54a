#include "shim/host/bytes.h"
#include "shim/host/host.h"
#include "shim/host/sys.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/streams.h"
#include "shim/writer/ownership.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* As much as Linux writes at once: see write(2), NOTES. */
#define SIZE_LIMIT 0x7ffff000

static void record_or_count(
	const struct call *call, unsigned stream, const void *p, size_t size)
{
	if (!capture_bytes(call, stream, BINLOG_TEXT_BYTES, p, size))
		writer_count_passed();
}

/* Nothing was recorded: whether anything is written, the kernel says. */
static ssize_t pass(int fd, const void *p, size_t size, ssize_t recorded)
{
	ssize_t written;

	if (recorded != CAPTURE_FAULT)
		writer_count_passed();
	written = next_write(fd, p, size);
	/* It is there by now. */
	if (recorded == CAPTURE_FAULT && written > 0)
		writer_count_passed();
	return written;
}

ssize_t write_bytes(const struct call *call, int fd, const void *p, size_t size)
{
	unsigned stream = streams_of(fd);
	ssize_t written;

	if (stream == STREAM_PASS || size == 0 || size > SIZE_LIMIT)
		return next_write(fd, p, size);
	if (unlikely(streams[stream].tee)) {
		struct writer *w = ownership_begin(call->sp);

		written = next_write(fd, p, size);
		if (written > 0)
			record_or_count(call, stream, p, (size_t)written);
		ownership_end(w);
		return written;
	}
	host_pthread_testcancel();
	stdio_buffer_catch_up(call);
	written = capture_given(call, stream, p, size);
	if (unlikely(written <= 0))
		return pass(fd, p, size, written);
	return written;
}

/* ---- vectors ---- */

/* Pages that are there: that of the stack pointer, and the one asked for last.
 */
struct pages {
	uintptr_t stack;
	uintptr_t last;
};

/* How many of the bytes, from the first on, can be read. */
static size_t readable(struct pages *known, const void *p, size_t size)
{
	uintptr_t page = (uintptr_t)p / SYS_PAGE;
	size_t done = 0;

	if (page == known->stack || page == known->last)
		done = SYS_PAGE - (uintptr_t)p % SYS_PAGE;
	if (done >= size)
		return size;
	done += sys_readable((const char *)p + done, size - done);
	if (done == size)
		known->last = ((uintptr_t)p + size - 1) / SYS_PAGE;
	return done;
}

/* The bytes of the vector; 0: it is one that only the kernel may check. */
static size_t bytes_of(struct pages *known, const struct iovec *v, int count)
{
	size_t total = 0;

	if (count <= 0 || count > IOV_MAX ||
		readable(known, v, (size_t)count * sizeof(*v)) <
			(size_t)count * sizeof(*v))
		return 0;
	for (int i = 0; i < count; i++)
		if (__builtin_add_overflow(total, v[i].iov_len, &total) ||
			total > SIZE_LIMIT)
			return 0;
	return total;
}

/* How many of them can be read, and would be written. */
static size_t bytes_readable(
	struct pages *known, const struct iovec *v, int count)
{
	size_t done = 0;

	for (int i = 0; i < count; i++) {
		size_t part = readable(known, v[i].iov_base, v[i].iov_len);

		done += part;
		if (unlikely(part < v[i].iov_len))
			return sys_are_addresses(v, count) ? done : 0;
	}
	return done;
}

static void record_written(const struct call *call, unsigned stream,
	const struct iovec *v, size_t written)
{
	if (!capture_vector(call, stream, v, written))
		writer_count_passed();
}

ssize_t write_vector(
	const struct call *call, int fd, const struct iovec *v, int count)
{
	struct pages known = {call->sp / SYS_PAGE, call->sp / SYS_PAGE};
	unsigned stream = streams_of(fd);
	ssize_t written;
	struct writer *w;
	size_t size;

	if (stream == STREAM_PASS)
		return next_writev(fd, v, count);
	size = bytes_of(&known, v, count);
	if (likely(!streams[stream].tee) && size > 0) {
		size = bytes_readable(&known, v, count);
		host_pthread_testcancel();
		stdio_buffer_catch_up(call);
		if (likely(size > 0 && capture_vector(call, stream, v, size)))
			return (ssize_t)size;
		if (size > 0)
			writer_count_passed();
	}
	w = streams[stream].tee ? ownership_begin(call->sp) : NULL;
	written = next_writev(fd, v, count);
	if (written > 0 && size > 0 && streams[stream].tee)
		record_written(call, stream, v, (size_t)written);
	ownership_end(w);
	return written;
}
