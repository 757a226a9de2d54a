#include <poll.h>
#include <sys/mman.h>

#include "shim/stdio_buffer.h"
#include "shim/streams.h"
#include "shim/sys.h"
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

/* Records a piece, or writes it; how much of it, or -1. */
static ssize_t write_piece(const struct call *call, unsigned stream, int out,
	const char *piece, size_t size)
{
	if (capture_bytes(call, stream, BINLOG_TEXT_BYTES, piece, size))
		return (ssize_t)size;
	writer_count_passed();
	return next_write(out, piece, size);
}

static ssize_t transfer_by(const struct call *call, unsigned stream, int out,
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
		written = write_piece(call, stream, out, piece, (size_t)n);
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
static ssize_t transfer(const struct call *call, unsigned stream, int out,
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
		return transfer_by(call, stream, out, source, size, once, piece,
			sizeof(piece));
	done = transfer_by(call, stream, out, source, size, once, (char *)large,
		PIECE_LARGE);
	SYS2(munmap, large, PIECE_LARGE);
	return done;
}

/* The kernel refuses these copies to what is opened for appending. */
static bool appends(int fd)
{
	return SYS3(fcntl, fd, F_GETFL, 0) & O_APPEND;
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

/* How much goes into a pipe only the kernel knows: what has gone is recorded,
 * from where it was read. */
static void record_sent(const struct call *call, unsigned stream, int in,
	off64_t at, ssize_t sent)
{
	char piece[PIECE];

	for (ssize_t done = 0; done < sent;) {
		size_t part = (size_t)(sent - done);
		long n = SYS4(pread64, in, piece, part < PIECE ? part : PIECE,
			at + done);

		if (n <= 0)
			break;
		if (!capture_bytes(
			    call, stream, BINLOG_TEXT_BYTES, piece, (size_t)n))
			writer_count_passed();
		done += n;
	}
}

static off64_t start_of(const struct source *source)
{
	return source->offset ? *source->offset
			      : SYS3(lseek, source->fd, 0, SEEK_CUR);
}

ssize_t transfer_sendfile(
	const struct call *call, int out, int in, off64_t *offset, size_t size)
{
	unsigned stream = streams_of(out);
	const struct source source = {in, offset};

	/* What can be mapped can be sent: files, not pipes or sockets. */
	if (stream == STREAM_PASS || !is_sound(offset) ||
		!is_kind(in, S_IFREG) || appends(out))
		return next_sendfile(out, in, offset, size);
	if (streams[stream].tee) {
		off64_t at = start_of(&source);
		ssize_t sent = next_sendfile(out, in, offset, size);

		record_sent(call, stream, in, at, sent);
		return sent;
	}
	return transfer(call, stream, out, &source, size, false);
}

ssize_t transfer_copy_file_range(const struct call *call, int in,
	off64_t *in_offset, int out, off64_t *out_offset, size_t size,
	unsigned flags)
{
	unsigned stream = streams_of(out);
	const struct source source = {in, in_offset};

	if (stream == STREAM_PASS || !is_sound(in_offset) || out_offset ||
		flags || !is_kind(in, S_IFREG) || !is_kind(out, S_IFREG) ||
		appends(out))
		return next_copy_file_range(
			in, in_offset, out, out_offset, size, flags);
	if (streams[stream].tee) {
		off64_t at = start_of(&source);
		ssize_t sent =
			next_copy_file_range(in, in_offset, out, NULL, size, 0);

		record_sent(call, stream, in, at, sent);
		return sent;
	}
	return transfer(call, stream, out, &source, size, false);
}

/* Whether reading from the pipe would wait, and not fail. */
static bool would_wait(int pipe)
{
	struct pollfd asked = {.fd = pipe, .events = POLLIN};
	const struct timespec now = {0};

	return (SYS3(fcntl, pipe, F_GETFL, 0) & O_ACCMODE) != O_WRONLY &&
	       SYS6(ppoll, &asked, 1, &now, NULL, 0, 0) == 0;
}

ssize_t transfer_splice(const struct call *call, int in, off64_t *in_offset,
	int out, off64_t *out_offset, size_t size, unsigned flags)
{
	unsigned stream = streams_of(out);
	const struct source source = {in, NULL};

	if (stream == STREAM_PASS || streams[stream].tee || in_offset ||
		out_offset || flags & ~SPLICE_FLAGS_KNOWN ||
		!is_kind(in, S_IFIFO) || appends(out))
		return next_splice(in, in_offset, out, out_offset, size, flags);
	if (flags & SPLICE_F_NONBLOCK && size > 0 && would_wait(in)) {
		errno = EAGAIN;
		return -1;
	}
	return transfer(call, stream, out, &source, size, true);
}
