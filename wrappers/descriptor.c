#include "shim/control/log_files.h"
#include "shim/host/sys.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/stream_order.h"
#include "shim/writer/position.h"
#include "shim/writer/writer.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * Descriptors that come into being, and flags of open files, which all
 * descriptors of a file share, in all processes.
 */

/* It may have been closed by a way that we have not seen. */
int descriptor_new(int fd)
{
	int kept = errno;

	if (fd >= 0)
		streams_forget(fd);
	errno = kept;
	return fd;
}

/* The open file of some output may be the one.  Once some text was passed it is
 * the file itself that knows where it stands. */
static bool will_append_otherwise(int fd, int flags)
{
	long now;

	if (writer_some_passed() || (!streams_have_offsets && !log_files_any))
		return false;
	now = SYS3(fcntl, fd, F_GETFL, 0);
	return !sys_failed(now) && (now ^ flags) & O_APPEND;
}

static void before_flags(const struct call *call)
{
	stdio_buffer_drain_all(call);
	position_settle();
}

/*
 * Which of our descriptors are of the same open file nobody says.  What FILEs
 * hold back goes to the end from here on, or to where the file stands.
 */
static void after_flags(const struct call *call)
{
	int kept = errno;

	streams_forget_range(0, UINT_MAX);
	for (unsigned i = STREAM_FIRST; i < streams_count(); i++) {
		unsigned now;

		if (__atomic_load_n(&streams[i].pending, __ATOMIC_RELAXED) !=
			PENDING_SOMETHING)
			continue;
		now = streams_of_any_file(streams[i].file);
		if (now != STREAM_PASS)
			capture_event(call, now, BINLOG_TEXT_BUFFER, 0);
	}
	errno = kept;
}

static int set_flags(const struct call *call, int fd, void *flags,
	int (*next)(int, int, ...))
{
	bool otherwise = will_append_otherwise(fd, (int)(intptr_t)flags);
	int result;

	if (otherwise)
		before_flags(call);
	result = next(fd, F_SETFL, flags);
	if (otherwise)
		after_flags(call);
	return result;
}

FILE *descriptor_file(const struct call *call, int fd, const char *mode,
	FILE *(*next)(int, const char *))
{
	bool otherwise = *mode == 'a' && will_append_otherwise(fd, O_APPEND);
	FILE *result;

	if (otherwise)
		before_flags(call);
	result = next(fd, mode);
	if (result)
		stream_order_opened(result);
	if (otherwise)
		after_flags(call);
	return result;
}

int descriptor_control(const struct call *call, int fd, int command,
	void *argument, int (*next)(int, int, ...))
{
	switch (command) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		return descriptor_new(next(fd, command, argument));
	case F_SETFL:
		return set_flags(call, fd, argument, next);
	default:
		return next(fd, command, argument);
	}
}
