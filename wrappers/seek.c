#include "shim/host/sys.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/held.h"
#include "shim/writer/position.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * Positions in an output that is a regular file and is not written: what they
 * would be, had its text been.  What is read back from such a file is what is
 * really there.
 */

/* Where a seek goes from `now`, or minus an errno; as ext4 does it. */
static off64_t target(unsigned stream, off64_t now, off64_t offset, int whence)
{
	off64_t end = 0;

	if (whence != SEEK_SET && whence != SEEK_CUR)
		end = position_end(stream);
	switch (whence) {
	case SEEK_SET:
		now = 0;
		break;
	case SEEK_CUR:
		break;
	case SEEK_END:
		now = end;
		break;
	case SEEK_DATA:
	case SEEK_HOLE:
		/* Nobody knows of holes: there is the one at the end. */
		if (offset < 0 || offset >= end)
			return -ENXIO;
		return whence == SEEK_DATA ? offset : end;
	default:
		return -EINVAL;
	}
	return __builtin_add_overflow(now, offset, &now) || now < 0 ? -EINVAL
								    : now;
}

static void move(const struct call *call, unsigned stream, off64_t offset)
{
	bool recorded;

	position_move(stream, offset);
	recorded = capture_event(call, stream, BINLOG_TEXT_SEEK, offset);
	if (unlikely(!recorded || writer_some_passed()))
		position_move_passed(stream, offset);
}

/* The call was made, of an output that is also written. */
static void note_move(const struct call *call, unsigned stream)
{
	long now = SYS3(lseek, streams[stream].fd, 0, SEEK_CUR);

	if (!sys_failed(now))
		capture_event(call, stream, BINLOG_TEXT_SEEK, now);
}

static bool is_tee_file(unsigned stream)
{
	return stream != STREAM_PASS && streams[stream].tee &&
	       S_ISREG(streams[stream].mode);
}

off64_t seek_descriptor(
	const struct call *call, int fd, off64_t offset, int whence)
{
	unsigned stream = streams_of(fd);
	bool asks = whence == SEEK_CUR && offset == 0;
	off64_t now, to;

	if (!position_matters(stream)) {
		to = next_lseek64(fd, offset, whence);
		if (!asks && to >= 0 && is_tee_file(stream))
			note_move(call, stream);
		return to;
	}
	now = position_now(stream);
	to = target(stream, now, offset, whence);
	if (to < 0) {
		errno = (int)-to;
		return -1;
	}
	if (!asks)
		move(call, stream, to);
	return to;
}

/* ---- FILEs ---- */

/* It is being read: then what it reads is really there.  While it is written to
 * libc keeps the two equal. */
static bool is_read(const FILE *file)
{
	return file->_IO_read_ptr != file->_IO_read_end;
}

static off64_t offset_of_file(const FILE *file, unsigned stream)
{
	off64_t now = position_now(stream);
	off64_t kept = held_offset(file);

	/* What was passed is known of the descriptor alone. */
	return kept == HELD_NO_OFFSET || writer_some_passed() ? now : kept;
}

static int seek_passed(const struct call *call, FILE *file, off64_t offset,
	int whence, unsigned stream)
{
	int result;

	if (stream != STREAM_PASS)
		state_settle(call, file);
	result = next_fseeko64(file, offset, whence);
	if (result == 0 && is_tee_file(stream))
		note_move(call, stream);
	return result;
}

/* What calls that were passed have left in the buffer. */
static size_t passed_bytes(const FILE *file)
{
	return writer_some_passed() && file->_flags & LIBIO_CURRENTLY_PUTTING
		       ? (size_t)(file->_IO_write_ptr - file->_IO_write_base)
		       : 0;
}

static void write_passed(FILE *file)
{
	if (likely(passed_bytes(file) == 0))
		return;
	next_fflush(file);
	stdio_buffer_flushed(file);
}

int seek_file(const struct call *call, FILE *file, off64_t offset, int whence)
{
	unsigned stream = streams_of_any_file(file);
	off64_t to;

	if (!position_matters(stream) || is_read(file))
		return seek_passed(call, file, offset, whence, stream);
	to = -EINVAL;
	if (whence == SEEK_SET || whence == SEEK_CUR || whence == SEEK_END) {
		state_settle(call, file);
		write_passed(file);
		to = target(
			stream, offset_of_file(file, stream), offset, whence);
	}
	if (to < 0) {
		errno = (int)-to;
		return -1;
	}
	held_set_offset(file, to);
	move(call, stream, to);
	file->_flags &= ~LIBIO_EOF_SEEN;
	return 0;
}

void seek_rewind(const struct call *call, FILE *file)
{
	unsigned stream = streams_of_any_file(file);

	if (!position_matters(stream) || is_read(file)) {
		state_settle(call, file);
		next_rewind(file);
		if (is_tee_file(stream))
			note_move(call, stream);
		return;
	}
	seek_file(call, file, 0, SEEK_SET);
	file->_flags &= ~(LIBIO_EOF_SEEN | LIBIO_ERR_SEEN);
}

off64_t seek_tell(const struct call *call, FILE *file)
{
	unsigned stream = streams_of_any_file(file);
	off64_t at, held;

	if (stream == STREAM_PASS || streams[stream].tee || is_read(file))
		return next_ftello64(file);
	state_drain(call, file);
	if (!position_matters(stream)) {
		at = next_ftello64(file);
		position_settle();
		return at < 0 ? at : at + (off64_t)held_bytes(file);
	}
	at = offset_of_file(file, stream);
	held = (off64_t)held_bytes(file);
	held += (off64_t)passed_bytes(file);
	if (held > 0 && file->_flags & LIBIO_APPENDING)
		at = position_end(stream);
	return at + held;
}

int seek_get(const struct call *call, FILE *file, fpos64_t *position)
{
	unsigned stream = streams_of_any_file(file);
	int result = next_fgetpos64(file, position);

	if (result == 0 && stream != STREAM_PASS && !streams[stream].tee &&
		!is_read(file))
		position->__pos = seek_tell(call, file);
	return result;
}

int seek_set(const struct call *call, FILE *file, const fpos64_t *position)
{
	unsigned stream = streams_of_any_file(file);
	int result;

	if (!position_matters(stream) || is_read(file)) {
		state_settle(call, file);
		result = next_fsetpos64(file, position);
		if (result == 0 && is_tee_file(stream))
			note_move(call, stream);
		return result;
	}
	return seek_file(call, file, position->__pos, SEEK_SET);
}

/* ---- the size of the file ---- */

/* Bytes that are really there are really cut off. */
static int cut(const struct call *call, unsigned stream, off64_t size)
{
	struct stat st;

	if (size < 0) {
		errno = EINVAL;
		return -1;
	}
	position_settle();
	if (!sys_failed(SYS2(fstat, streams[stream].fd, &st)) &&
		size < st.st_size &&
		next_ftruncate64(streams[stream].fd, size) != 0)
		return -1;
	position_cut(stream, size);
	map_follow(stream);
	capture_event(call, stream, BINLOG_TEXT_TRUNCATE, size);
	return 0;
}

int seek_truncate(const struct call *call, int fd, off64_t size)
{
	unsigned stream = streams_of(fd);
	int result;

	if (position_matters(stream))
		return cut(call, stream, size);
	result = next_ftruncate64(fd, size);
	if (result == 0 && is_tee_file(stream))
		capture_event(call, stream, BINLOG_TEXT_TRUNCATE, size);
	return result;
}

/* Zeros in place of what is there, as far as the file goes. */
static void clear(
	const struct call *call, unsigned stream, off64_t from, off64_t to)
{
	static const char zeros[4096];

	/* What is written there goes to the end: see write_at.c. */
	if (from < to && streams[stream].flags & BINLOG_STREAM_APPEND) {
		writer_count_passed();
		return;
	}
	while (from < to) {
		size_t part = to - from < (off64_t)sizeof(zeros)
				      ? (size_t)(to - from)
				      : sizeof(zeros);

		if (capture_bytes_at(call, stream, from, zeros, part) < part) {
			writer_count_passed();
			break;
		}
		from += (off64_t)part;
	}
}

static off64_t end_of(unsigned stream)
{
	struct stat st;

	if (position_matters(stream))
		return position_end(stream);
	return sys_failed(SYS2(fstat, streams[stream].fd, &st)) ? 0
								: st.st_size;
}

/* Only these may make a file longer, which the real one does not become. */
static bool may_lengthen(int mode)
{
	return !(mode & ~(FALLOC_FL_ZERO_RANGE | FALLOC_FL_UNSHARE_RANGE));
}

/*
 * The kernel does to the real file what does not make it longer, and says what
 * is wrong.  It may not move what is in the capture: no more than on a file
 * system that cannot.
 */
int seek_allocate(
	const struct call *call, int fd, int mode, off64_t offset, off64_t size)
{
	unsigned stream = streams_of(fd);
	bool replaced = position_matters(stream);
	off64_t end;
	int result;

	if (!replaced && !is_tee_file(stream))
		return next_fallocate64(fd, mode, offset, size);
	if (mode & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE)) {
		if (replaced) {
			errno = EOPNOTSUPP;
			return -1;
		}
		result = next_fallocate64(fd, mode, offset, size);
		if (result == 0)
			writer_count_passed();
		return result;
	}
	end = end_of(stream);
	result = next_fallocate64(fd,
		replaced && may_lengthen(mode) ? mode | FALLOC_FL_KEEP_SIZE
					       : mode,
		offset, size);
	if (result != 0)
		return result;
	if (mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))
		clear(call, stream, offset,
			offset + size < end ? offset + size : end);
	if (!(mode & FALLOC_FL_KEEP_SIZE) && offset + size > end) {
		if (replaced)
			position_reach(stream, offset + size);
		map_follow(stream);
		capture_event(
			call, stream, BINLOG_TEXT_TRUNCATE, offset + size);
	}
	return 0;
}

/* Where the file system cannot, libc writes zeros, which would stay there. */
int seek_allocate_surely(
	const struct call *call, int fd, off64_t offset, off64_t size)
{
	unsigned stream = streams_of(fd);
	int kept = errno;
	int result = 0;

	if (!position_matters(stream) && !is_tee_file(stream))
		return next_posix_fallocate64(fd, offset, size);
	if (seek_allocate(call, fd, 0, offset, size) != 0)
		result = errno;
	if (result == EOPNOTSUPP && position_matters(stream)) {
		result = 0;
		if (offset + size > position_end(stream)) {
			position_reach(stream, offset + size);
			capture_event(call, stream, BINLOG_TEXT_TRUNCATE,
				offset + size);
		}
	} else if (result == EOPNOTSUPP) {
		result = next_posix_fallocate64(fd, offset, size);
		if (result == 0)
			capture_event(call, stream, BINLOG_TEXT_TRUNCATE,
				end_of(stream));
	}
	errno = kept;
	return result;
}

/* Of an output that nobody has said anything to, and whose numbers are closed:
 * as one that is opened for a moment. */
static unsigned stream_of_closed(const char *path)
{
	long fd = SYS4(openat, AT_FDCWD, path,
		O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
	unsigned stream;

	if (sys_failed(fd))
		return STREAM_PASS;
	streams_forget((int)fd);
	stream = streams_of((int)fd);
	streams_forget((int)fd);
	SYS1(close, fd);
	return stream == STREAM_FULL ? STREAM_PASS : stream;
}

/* The stream of a file that has one, or STREAM_PASS. */
static unsigned stream_of_path(const char *path, struct stat *st)
{
	if (!streams_have_offsets ||
		sys_failed(SYS4(newfstatat, AT_FDCWD, path, st, 0)) ||
		!S_ISREG(st->st_mode))
		return STREAM_PASS;
	/* Those that a program is most likely to have; decided on by now. */
	streams_of(STDOUT_FILENO);
	streams_of(STDERR_FILENO);
	for (unsigned i = STREAM_FIRST; i < streams_count(); i++)
		if (streams[i].device == st->st_dev &&
			streams[i].inode == st->st_ino && !streams[i].file)
			return i;
	return streams_is_output(st) ? stream_of_closed(path) : STREAM_PASS;
}

int seek_truncate_path(const struct call *call, const char *path, off64_t size)
{
	struct stat st;
	unsigned stream = stream_of_path(path, &st);
	bool longer = stream != STREAM_PASS && size > st.st_size;
	int result;

	/* Not made longer: what will be there is in the capture. */
	if (longer && position_matters(stream))
		result = next_truncate64(path, st.st_size);
	else
		result = next_truncate64(path, size);
	if (result != 0 || stream == STREAM_PASS)
		return result;
	position_settle();
	position_cut(stream, size);
	capture_event(call, stream, BINLOG_TEXT_TRUNCATE, size);
	return 0;
}
