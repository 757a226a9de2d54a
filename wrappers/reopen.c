#include "record/linux.h"
#include "shim/control/log_files.h"
#include "shim/host/host.h"
#include "shim/host/sys.h"
#include "shim/streams/stream_order.h"
#include "shim/writer/position.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * A program that opens its own output anew (/dev/stdout, /proc/self/fd/1, or
 * by its name) has another open file, with an offset of its own.  Nothing is
 * asked of files that are only read, or where no output is a regular file.
 */

static bool is_of_interest(int fd)
{
	return fd >= 0 && (streams_have_offsets || log_files_any) &&
	       !sys_forbidden;
}

/* libc goes to the end of what it opens for appending. */
static void note(
	const struct call *call, int fd, bool truncates, bool seeks_end)
{
	int kept = errno;
	unsigned stream = streams_is_recorded_file(fd) ? position_opened(fd)
						       : STREAM_PASS;

	if (stream == STREAM_PASS)
		return;
	if (seeks_end && position_matters(stream))
		position_move(stream, position_end(stream));
	if (truncates) {
		position_cut(stream, 0);
		capture_event(call, stream, BINLOG_TEXT_TRUNCATE, 0);
	}
	if (!(streams[stream].flags & BINLOG_STREAM_APPEND))
		capture_event(call, stream, BINLOG_TEXT_SEEK,
			(int64_t)streams[stream].position);
	errno = kept;
}

int reopen_descriptor(const struct call *call, int fd, int flags)
{
	descriptor_new(fd);
	if (is_of_interest(fd) && (flags & O_ACCMODE) != O_RDONLY)
		note(call, fd, flags & O_TRUNC, false);
	return fd;
}

FILE *reopen_stdio(const struct call *call, FILE *file, const char *mode)
{
	bool plus = false;

	for (const char *m = mode; *m && *m != ','; m++)
		plus |= *m == '+';
	if (file) {
		stream_order_opened(file);
		descriptor_new(file->_fileno);
	}
	if (file && (*mode != 'r' || plus) && is_of_interest(file->_fileno))
		note(call, file->_fileno, *mode == 'w', *mode == 'a');
	return file;
}

/* Only files that are made, or may be, have a mode: open(2). */
static mode_t mode_of(int flags, va_list ap)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE
		       ? va_arg(ap, mode_t)
		       : 0;
}

int reopen_open(const struct call *call, const char *path, int flags,
	va_list ap, int (*next)(const char *, int, ...))
{
	return reopen_descriptor(
		call, next(path, flags, mode_of(flags, ap)), flags);
}

int reopen_openat(const struct call *call, int directory, const char *path,
	int flags, va_list ap, int (*next)(int, const char *, int, ...))
{
	return reopen_descriptor(
		call, next(directory, path, flags, mode_of(flags, ap)), flags);
}

/* `how` begins with its flags: openat2(2).  Only a young libc has a function
 * for it. */
int reopen_openat2(const struct call *call, int directory, const char *path,
	const struct open_how *how, size_t size)
{
	int fd = (int)next_syscall(SYS_openat2, directory, path, how, size);

	return fd < 0 ? fd
		      : reopen_descriptor(call, fd,
				(int)*(const uint64_t *)(const void *)how);
}
