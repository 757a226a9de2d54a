#include <poll.h>
#include <sys/mman.h>

#include "shim/host/host.h"
#include "shim/host/sys.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* A transfer goes in pieces of this size, on the host's stack; a larger one
 * in larger pieces, in a mapping of its own. */
#define PIECE 1024
#define PIECE_LARGE 65536u

/* Of others the kernel says that they are wrong. */
#define SPLICE_FLAGS_KNOWN                                                     \
	(SPLICE_F_MOVE | SPLICE_F_NONBLOCK | SPLICE_F_MORE | SPLICE_F_GIFT)

/* From where a transfer reads: at the offset if there is one. */
struct source {
	int fd;
	off64_t *offset;
};

static long read_piece(const struct source *source, char *to, size_t size)
{
	long n = source->offset
			 ? SYS4(pread64, source->fd, to, size, *source->offset)
			 : SYS3(read, source->fd, to, size);

	if (!sys_failed(n) && source->offset)
		*source->offset += n;
	return n;
}

/* What was read and has not been taken can be read again; not from a pipe. */
static void give_back(const struct source *source, off64_t bytes)
{
	if (source->offset)
		*source->offset -= bytes;
	else
		SYS3(lseek, source->fd, -bytes, SEEK_CUR);
}

/* Where it goes: to the offset if there is one, which moves on. */
struct sink {
	unsigned stream;
	int fd;
	off64_t *offset;
};

/* Records a piece, or writes it; how much of it, or -1. */
static ssize_t write_piece(const struct call *call, const struct sink *sink,
	const char *piece, size_t size)
{
	ssize_t written;

	if (sink->offset) {
		written = write_at(call, sink->fd, piece, size, *sink->offset);
		if (written > 0)
			*sink->offset += written;
		return written;
	}
	if (capture_bytes(call, sink->stream, BINLOG_TEXT_BYTES, piece, size))
		return (ssize_t)size;
	writer_count_passed();
	return next_write(sink->fd, piece, size);
}

static ssize_t transfer_by(const struct call *call, const struct sink *sink,
	const struct source *source, size_t size, bool once, char *piece,
	size_t room)
{
	ssize_t done = 0;

	while ((size_t)done < size) {
		size_t part = size - (size_t)done;
		long n = read_piece(source, piece, part < room ? part : room);
		ssize_t written;

		if (sys_failed(n)) {
			errno = (int)-n;
			return done ? done : -1;
		}
		if (n == 0)
			break;
		written = write_piece(call, sink, piece, (size_t)n);
		if (written < n)
			give_back(source, n - (written > 0 ? written : 0));
		if (written < 0)
			return done ? done : -1;
		done += written;
		if (written < n || once)
			break;
	}
	return done;
}

/* As the kernel would, but by way of our hands. */
static ssize_t transfer(const struct call *call, const struct sink *sink,
	const struct source *source, size_t size, bool once)
{
	char piece[PIECE];
	long large = -ENOMEM;
	ssize_t done;

	stdio_buffer_catch_up(call);
	if (size > PIECE)
		large = SYS6(mmap, 0, PIECE_LARGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(large))
		return transfer_by(
			call, sink, source, size, once, piece, sizeof(piece));
	done = transfer_by(
		call, sink, source, size, once, (char *)large, PIECE_LARGE);
	SYS2(munmap, large, PIECE_LARGE);
	return done;
}

/* The kernel says what is wrong with one that is not. */
static bool is_sound(const off64_t *offset)
{
	return !offset || sys_forbidden ||
	       sys_are_readable(offset, sizeof(*offset));
}

static bool is_kind(int fd, mode_t kind)
{
	struct stat st;

	return !sys_failed(SYS2(fstat, fd, &st)) &&
	       (st.st_mode & S_IFMT) == kind;
}

/* Part of what the kernel has taken: at the offset, if there is one. */
static void record_piece(const struct call *call, unsigned stream,
	const char *piece, size_t size, off64_t at)
{
	bool done = at < 0 ? capture_bytes(call, stream, BINLOG_TEXT_BYTES,
				     piece, size)
			   : capture_bytes_at(call, stream, at, piece, size) ==
				     size;

	if (!done)
		writer_count_passed();
}

/* The kernel refuses these copies to a file that is appended to; a pipe always
 * is, whatever its flags say. */
static bool appends(int fd)
{
	return SYS3(fcntl, fd, F_GETFL, 0) & O_APPEND && !is_kind(fd, S_IFIFO);
}

/*
 * How much goes into a pipe only the kernel knows: what has gone is recorded,
 * from where it was read.  `to`: where it went in a file, or -1.
 */
static void record_sent(const struct call *call, unsigned stream, int in,
	off64_t at, ssize_t sent, off64_t to)
{
	char piece[PIECE];
	int kept = errno;

	for (ssize_t done = 0; done < sent;) {
		size_t part = (size_t)(sent - done);
		long n = SYS4(pread64, in, piece, part < PIECE ? part : PIECE,
			at + done);

		if (n <= 0) {
			writer_count_passed();
			break;
		}
		record_piece(call, stream, piece, (size_t)n,
			to < 0 ? to : to + done);
		done += n;
	}
	errno = kept;
}

static off64_t start_of(const struct source *source)
{
	return source->offset ? *source->offset
			      : SYS3(lseek, source->fd, 0, SEEK_CUR);
}

/* ---- pipes, out of which only their reader gets the bytes ---- */

struct our_pipe {
	int end[2]; /* to be read, to be written */
};

static bool open_pipe(struct our_pipe *ours)
{
	return !sys_failed(SYS2(pipe2, ours->end, O_CLOEXEC));
}

static void close_pipe(const struct our_pipe *ours)
{
	SYS1(close, ours->end[0]);
	SYS1(close, ours->end[1]);
}

/* Records what is in it, at most `size` bytes. */
static void record_pipe(const struct call *call, unsigned stream,
	const struct our_pipe *ours, ssize_t size)
{
	char piece[PIECE];
	int kept = errno;

	while (size > 0) {
		long n = SYS3(
			read, ours->end[0], piece, size < PIECE ? size : PIECE);

		if (n <= 0)
			break;
		record_piece(call, stream, piece, (size_t)n, -1);
		size -= n;
	}
	errno = kept;
}

/*
 * What the kernel would move from anywhere to an output goes into a pipe of
 * ours, and is recorded from there.
 */
static ssize_t take_pipe(const struct call *call, const struct sink *sink,
	const struct our_pipe *ours, ssize_t size)
{
	const struct source source = {ours->end[0], NULL};
	int kept = errno;
	ssize_t done = size;

	if (size > 0)
		done = transfer(call, sink, &source, (size_t)size, false);
	if (done >= 0)
		errno = kept;
	return done;
}

/*
 * The same to an output that is also written: all of it, since it cannot be
 * given back to where it was.
 */
static ssize_t pass_pipe(const struct call *call, const struct sink *sink,
	const struct our_pipe *ours, ssize_t size)
{
	struct pollfd asked = {.fd = sink->fd, .events = POLLOUT};
	char piece[PIECE];
	int kept = errno;
	ssize_t done = size < 0 ? size : 0;

	while (done < size) {
		long n = SYS3(read, ours->end[0], piece,
			size - done < PIECE ? size - done : PIECE);

		for (long at = 0; at < n;) {
			ssize_t written = write_bytes(
				call, sink->fd, piece + at, (size_t)(n - at));

			if (written < 0 && errno != EAGAIN)
				return done > 0 ? done : -1;
			if (written < 0)
				SYS6(ppoll, &asked, 1, NULL, NULL, 0, 0);
			else
				at += written, done += written;
		}
		if (n <= 0)
			break;
	}
	if (done >= 0)
		errno = kept;
	return done;
}

/* No more goes into a pipe that nobody reads yet: pipe(7). */
static size_t for_pipe(size_t size)
{
	return size < PIECE_LARGE ? size : PIECE_LARGE;
}

/* A call that the kernel made by itself: its bytes are nowhere to be had. */
static ssize_t count_sent(ssize_t sent)
{
	if (sent > 0)
		writer_count_passed();
	return sent;
}

/* ---- the calls ---- */

ssize_t transfer_sendfile(
	const struct call *call, int out, int in, off64_t *offset, size_t size)
{
	unsigned stream = streams_of(out);
	const struct source source = {in, offset};
	const struct sink sink = {stream, out, NULL};
	bool from_file;
	struct our_pipe ours;
	ssize_t sent;

	if (stream == STREAM_PASS || !is_sound(offset) || appends(out))
		return next_sendfile(out, in, offset, size);
	from_file = is_kind(in, S_IFREG);
	if (streams[stream].tee && from_file) {
		off64_t at = start_of(&source);

		sent = next_sendfile(out, in, offset, size);
		record_sent(call, stream, in, at, sent, -1);
		return sent;
	}
	if (from_file)
		return transfer(call, &sink, &source, size, false);
	if (!open_pipe(&ours))
		return count_sent(next_sendfile(out, in, offset, size));
	sent = next_sendfile(ours.end[1], in, offset, for_pipe(size));
	sent = streams[stream].tee ? pass_pipe(call, &sink, &ours, sent)
				   : take_pipe(call, &sink, &ours, sent);
	close_pipe(&ours);
	return sent;
}

ssize_t transfer_copy_file_range(const struct call *call, int in,
	off64_t *in_offset, int out, off64_t *out_offset, size_t size,
	unsigned flags)
{
	unsigned stream = streams_of(out);
	const struct source source = {in, in_offset};
	const struct sink sink = {stream, out, out_offset};

	if (stream == STREAM_PASS || !is_sound(in_offset) ||
		!is_sound(out_offset) || flags || !is_kind(in, S_IFREG) ||
		!is_kind(out, S_IFREG) || appends(out) ||
		(out_offset && *out_offset < 0))
		return next_copy_file_range(
			in, in_offset, out, out_offset, size, flags);
	if (streams[stream].tee) {
		off64_t at = start_of(&source);
		off64_t to = out_offset ? *out_offset : -1;
		ssize_t sent = next_copy_file_range(
			in, in_offset, out, out_offset, size, 0);

		record_sent(call, stream, in, at, sent, to);
		return sent;
	}
	host_pthread_testcancel();
	return transfer(call, &sink, &source, size, false);
}

/* Whether reading from the pipe would wait, and not fail. */
static bool would_wait(int pipe)
{
	struct pollfd asked = {.fd = pipe, .events = POLLIN};
	const struct timespec now = {0};

	return (SYS3(fcntl, pipe, F_GETFL, 0) & O_ACCMODE) != O_WRONLY &&
	       SYS6(ppoll, &asked, 1, &now, NULL, 0, 0) == 0;
}

/* From a pipe to an output that is also written: what is in the pipe is
 * doubled, and the double recorded as far as the rest has gone. */
static ssize_t splice_twice(const struct call *call, int in,
	const struct sink *sink, size_t size, unsigned flags)
{
	off64_t to = sink->offset ? *sink->offset : -1;
	struct our_pipe ours;
	long doubled = 0;
	ssize_t sent;

	if (to >= 0 || !open_pipe(&ours))
		return count_sent(next_splice(
			in, NULL, sink->fd, sink->offset, size, flags));
	doubled = next_tee(in, ours.end[1], for_pipe(size), flags);
	sent = doubled < 0    ? -1
	       : doubled == 0 ? 0
			      : next_splice(in, NULL, sink->fd, NULL,
					(size_t)doubled, flags);
	record_pipe(call, sink->stream, &ours, sent);
	close_pipe(&ours);
	return sent;
}

static ssize_t splice_tee(const struct call *call, int in, off64_t *in_offset,
	const struct sink *sink, size_t size, unsigned flags)
{
	const struct source source = {in, in_offset};
	struct our_pipe ours;
	off64_t at;
	ssize_t sent;

	if (is_kind(in, S_IFIFO) && !in_offset)
		return splice_twice(call, in, sink, size, flags);
	if (is_kind(in, S_IFREG)) {
		at = start_of(&source);
		sent = next_splice(
			in, in_offset, sink->fd, sink->offset, size, flags);
		record_sent(call, sink->stream, in, at, sent, -1);
		return sent;
	}
	if (!is_kind(sink->fd, S_IFIFO) || sink->offset || !open_pipe(&ours))
		return count_sent(next_splice(
			in, in_offset, sink->fd, sink->offset, size, flags));
	sent = next_splice(
		in, in_offset, ours.end[1], NULL, for_pipe(size), flags);
	sent = pass_pipe(call, sink, &ours, sent);
	close_pipe(&ours);
	return sent;
}

ssize_t transfer_splice(const struct call *call, int in, off64_t *in_offset,
	int out, off64_t *out_offset, size_t size, unsigned flags)
{
	unsigned stream = streams_of(out);
	const struct sink sink = {stream, out, out_offset};
	const struct source source = {in, NULL};
	struct our_pipe ours;
	ssize_t sent;

	if (stream == STREAM_PASS || flags & ~SPLICE_FLAGS_KNOWN ||
		appends(out) || !is_sound(in_offset) || !is_sound(out_offset))
		return next_splice(in, in_offset, out, out_offset, size, flags);
	host_pthread_testcancel();
	if (streams[stream].tee)
		return splice_tee(call, in, in_offset, &sink, size, flags);
	if (is_kind(in, S_IFIFO) && !is_kind(out, S_IFIFO)) {
		if (in_offset || (out_offset && !is_kind(out, S_IFREG)))
			return next_splice(
				in, in_offset, out, out_offset, size, flags);
		if (flags & SPLICE_F_NONBLOCK && size > 0 && would_wait(in)) {
			errno = EAGAIN;
			return -1;
		}
		return transfer(call, &sink, &source, size, true);
	}
	/* To a file or a terminal only pipes are moved: let the kernel say. */
	if (!is_kind(out, S_IFIFO) || out_offset || !open_pipe(&ours))
		return count_sent(next_splice(
			in, in_offset, out, out_offset, size, flags));
	sent = next_splice(
		in, in_offset, ours.end[1], NULL, for_pipe(size), flags);
	sent = take_pipe(call, &sink, &ours, sent);
	close_pipe(&ours);
	return sent;
}

/* What is in one pipe goes to another, and stays. */
ssize_t transfer_tee(
	const struct call *call, int in, int out, size_t size, unsigned flags)
{
	unsigned stream = streams_of(out);
	const struct sink sink = {stream, out, NULL};
	struct our_pipe ours;
	ssize_t sent;

	if (stream == STREAM_PASS)
		return next_tee(in, out, size, flags);
	host_pthread_testcancel();
	if (!is_kind(out, S_IFIFO) || !open_pipe(&ours))
		return count_sent(next_tee(in, out, size, flags));
	if (streams[stream].tee) {
		sent = next_tee(in, out, for_pipe(size), flags);
		if (sent > 0)
			SYS4(tee, in, ours.end[1], sent, SPLICE_F_NONBLOCK);
		SYS3(fcntl, ours.end[0], F_SETFL, O_NONBLOCK);
		record_pipe(call, stream, &ours, sent);
	} else {
		sent = next_tee(in, ours.end[1], for_pipe(size), flags);
		sent = take_pipe(call, &sink, &ours, sent);
	}
	close_pipe(&ours);
	return sent;
}

/* Pages become part of a pipe.  What is in them by now is what is said. */
ssize_t transfer_vmsplice(const struct call *call, int out,
	const struct iovec *v, size_t count, unsigned flags)
{
	unsigned stream = streams_of(out);
	ssize_t sent;

	if (stream == STREAM_PASS || flags & ~SPLICE_FLAGS_KNOWN ||
		!is_kind(out, S_IFIFO) || count > IOV_MAX)
		return next_vmsplice(out, v, count, flags);
	if (!streams[stream].tee)
		return write_vector(call, out, v, (int)count);
	sent = next_vmsplice(out, v, count, flags);
	for (ssize_t done = 0; done < sent; v++) {
		size_t part = v->iov_len;

		if (part > (size_t)(sent - done))
			part = (size_t)(sent - done);
		if (part > 0)
			record_piece(call, stream, v->iov_base, part, -1);
		done += (ssize_t)part;
	}
	return sent;
}
