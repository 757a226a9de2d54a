#include "shim/host.h"
#include "shim/position.h"
#include "shim/sys.h"
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
	       offset <= INT64_MAX - SIZE_LIMIT &&
	       (sys_forbidden || sys_are_readable(p, size));
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
	done = record(call, stream, p, size, offset);
	return done > 0 ? (ssize_t)done : next_pwrite64(fd, p, size, offset);
}

static bool are_sound(const struct iovec *v, int count, off64_t offset)
{
	size_t total = 0;

	if (count <= 0 || count > IOV_MAX ||
		!is_sound(v, (size_t)count * sizeof(*v), offset))
		return false;
	for (int i = 0; i < count; i++)
		if (__builtin_add_overflow(total, v[i].iov_len, &total) ||
			(v[i].iov_len > 0 &&
				!is_sound(v[i].iov_base, v[i].iov_len, offset)))
			return false;
	return total > 0 && total <= SIZE_LIMIT;
}

ssize_t write_vector_at(const struct call *call, int fd, const struct iovec *v,
	int count, off64_t offset, int flags)
{
	unsigned stream = streams_of(fd);
	ssize_t done = 0;

	if (flags == WRITE_AT_NO_FLAGS) {
		if (stream == STREAM_PASS || !are_sound(v, count, offset))
			return next_pwritev64(fd, v, count, offset);
		flags = 0;
	}
	/* pwritev2(2): then it is writev(). */
	if (offset == -1 && (flags & ~FLAGS_KNOWN) == 0)
		return write_vector(call, fd, v, count);
	if (stream == STREAM_PASS || !are_sound(v, count, offset) ||
		flags & ~FLAGS_KNOWN)
		return next_pwritev64v2(fd, v, count, offset, flags);
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
