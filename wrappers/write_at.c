#include "shim/host/host.h"
#include "shim/host/sys.h"
#include "shim/writer/position.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * Writes to a place in an output, past what its open file stands at.  One that
 * was opened for appending is appended to even so: pwrite(2), BUGS.
 */

/* Those that say how to write, and not what becomes of it. */
#define FLAGS_KNOWN (RWF_HIPRI | RWF_DSYNC | RWF_SYNC | RWF_NOWAIT | RWF_APPEND)

/* As much as write(2) takes at once, NOTES. */
#define SIZE_LIMIT 0x7ffff000

/* Let the kernel say what is wrong with the others. */
static bool is_sound(const void *p, size_t size, off64_t offset)
{
	return size > 0 && size <= SIZE_LIMIT && offset >= 0 &&
	       offset <= INT64_MAX - SIZE_LIMIT && (intptr_t)p >= 0;
}

/* How many bytes were recorded. */
static size_t record(const struct call *call, unsigned stream, const void *p,
	size_t size, off64_t offset)
{
	size_t done;

	if (streams[stream].flags & BINLOG_STREAM_APPEND)
		offset = position_end(stream);
	done = capture_bytes_at(call, stream, offset, p, size);
	position_reach(stream, offset + (off64_t)done);
	if (done < size)
		writer_count_passed();
	return done;
}

/* What is appended makes the file longer, but does not move it. */
static ssize_t pass(
	unsigned stream, int fd, const void *p, size_t size, off64_t offset)
{
	int64_t before = position_now(stream);
	ssize_t written = next_pwrite64(fd, p, size, offset);
	int kept = errno;

	if (written > 0 && streams[stream].flags & BINLOG_STREAM_APPEND) {
		position_now(stream); /* what has come is known now */
		position_move(stream, before);
	}
	errno = kept;
	return written;
}

ssize_t write_at(const struct call *call, int fd, const void *p, size_t size,
	off64_t offset)
{
	unsigned stream = streams_of(fd);
	ssize_t written;
	size_t done;

	if (stream == STREAM_PASS || !is_sound(p, size, offset))
		return next_pwrite64(fd, p, size, offset);
	if (!position_matters(stream)) {
		written = next_pwrite64(fd, p, size, offset);
		if (written > 0 && capture_bytes_at(call, stream, offset, p,
					   (size_t)written) < (size_t)written)
			writer_count_passed();
		return written;
	}
	host_pthread_testcancel();
	/* As many as the kernel would take.  It is not asked to fail: ext4
	 * makes a file longer first, up to the offset. */
	size = sys_readable(p, size);
	if (unlikely(size == 0)) {
		errno = EFAULT;
		return -1;
	}
	done = record(call, stream, p, size, offset);
	return done > 0 ? (ssize_t)done : pass(stream, fd, p, size, offset);
}

static bool are_sound(const struct iovec *v, int count, off64_t offset)
{
	size_t total = 0;

	if (count <= 0 || count > IOV_MAX ||
		sys_readable(v, (size_t)count * sizeof(*v)) <
			(size_t)count * sizeof(*v))
		return false;
	for (int i = 0; i < count; i++)
		if (__builtin_add_overflow(total, v[i].iov_len, &total) ||
			(v[i].iov_len > 0 &&
				!is_sound(v[i].iov_base, v[i].iov_len, offset)))
			return false;
	return total > 0 && total <= SIZE_LIMIT;
}

/*
 * Not every file knows how not to wait.  The kernel says so before it looks at
 * the bytes, which are where nothing is.
 */
static bool is_refused(int fd, off64_t offset, int flags)
{
	const struct iovec nowhere = {NULL, 1};
	long result;

	if (!(flags & RWF_NOWAIT))
		return false;
	result = SYS6(pwritev2, fd, &nowhere, 1, offset, 0, flags);
	return result == -EOPNOTSUPP;
}

/* What was written of it, at `offset` or, if that is -1, where it stood. */
static void record_vector(const struct call *call, unsigned stream,
	const struct iovec *v, size_t written, off64_t offset)
{
	for (; written > 0; v++) {
		size_t part = v->iov_len < written ? v->iov_len : written;
		bool done = true;

		if (part > 0 && offset < 0)
			done = capture_bytes(call, stream, BINLOG_TEXT_BYTES,
				v->iov_base, part);
		else if (part > 0)
			done = capture_bytes_at(call, stream, offset,
				       v->iov_base, part) == part;
		if (!done)
			writer_count_passed();
		if (offset >= 0)
			offset += (off64_t)part;
		written -= part;
	}
}

/* To an output that is also written, with all flags. */
static ssize_t write_vector_twice(const struct call *call, unsigned stream,
	int fd, const struct iovec *v, int count, off64_t offset, int flags)
{
	bool appends = flags & RWF_APPEND && S_ISREG(streams[stream].mode);
	ssize_t written = next_pwritev64v2(fd, v, count, offset, flags);
	struct stat st;

	if (written <= 0)
		return written;
	/* It went to the end, which is behind it now. */
	if (appends && !sys_failed(SYS2(fstat, fd, &st))) {
		if (offset < 0)
			capture_event(call, stream, BINLOG_TEXT_SEEK,
				st.st_size - written);
		else
			offset = st.st_size - written;
	}
	record_vector(call, stream, v, (size_t)written, offset);
	return written;
}

ssize_t write_vector_at(const struct call *call, int fd, const struct iovec *v,
	int count, off64_t offset, int flags)
{
	unsigned stream = streams_of(fd);
	bool here = false;
	ssize_t done = 0;

	if (flags == WRITE_AT_NO_FLAGS) {
		if (stream == STREAM_PASS || !are_sound(v, count, offset))
			return next_pwritev64(fd, v, count, offset);
		flags = 0;
	} else if (offset == -1) {
		here = true; /* pwritev2(2): then it is writev(). */
	}
	if (stream == STREAM_PASS || flags & ~FLAGS_KNOWN ||
		!are_sound(v, count, here ? 0 : offset))
		return next_pwritev64v2(fd, v, count, offset, flags);
	if (streams[stream].tee && flags)
		return write_vector_twice(
			call, stream, fd, v, count, offset, flags);
	if (!streams[stream].tee && is_refused(fd, offset, flags)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	if (here) {
		if (flags & RWF_APPEND && position_matters(stream))
			seek_descriptor(call, fd, 0, SEEK_END);
		return write_vector(call, fd, v, count);
	}
	if (flags & RWF_APPEND && position_matters(stream))
		offset = position_end(stream);
	for (int i = 0; i < count; i++) {
		ssize_t part = v[i].iov_len == 0
				       ? 0
				       : write_at(call, fd, v[i].iov_base,
						 v[i].iov_len, offset + done);

		if (part < 0)
			return done > 0 ? done : -1;
		done += part;
		if ((size_t)part < v[i].iov_len)
			break;
	}
	return done;
}
