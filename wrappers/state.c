#include "shim/capture_file.h"
#include "shim/locale_state.h"
#include "shim/plan.h"
#include "shim/stdio_buffer.h"
#include "shim/streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* Records what macros have left in the buffer of a replaced FILE. */
static void drain(const struct call *call, FILE *file)
{
	unsigned stream = streams_of_file(file);

	if (stream != STREAM_PASS)
		stdio_buffer_drain(call, file, stream);
}

int state_fflush(const struct call *call, FILE *file, int (*next)(FILE *))
{
	int result;

	if (!file)
		stdio_buffer_drain_all(call);
	else if (file->_IO_write_ptr != file->_IO_write_base)
		drain(call, file);
	result = next(file);
	stdio_buffer_flushed(file);
	return result;
}

/* The descriptor behind a FILE of any kind; -1 for none. */
static int descriptor(const FILE *file)
{
	return file->_flags & LIBIO_IS_FILEBUF ? file->_fileno : -1;
}

int state_fclose(const struct call *call, FILE *file, int (*next)(FILE *))
{
	int fd = descriptor(file);
	int result;

	drain(call, file);
	stdio_buffer_forget(file);
	result = next(file);
	if (fd >= 0)
		streams_forget(fd);
	return result;
}

int state_fcloseall(const struct call *call)
{
	int result;

	stdio_buffer_drain_all(call);
	result = next_fcloseall();
	streams_forget_range(0, STREAMS_FDS - 1);
	return result;
}

FILE *state_freopen(const struct call *call, const char *path, const char *mode,
	FILE *file, FILE *(*next)(const char *, const char *, FILE *))
{
	int fd = descriptor(file);
	FILE *result;

	drain(call, file);
	result = next(path, mode, file);
	if (fd >= 0)
		streams_forget(fd);
	if (result && descriptor(result) >= 0)
		streams_forget(descriptor(result));
	return result;
}

/* Our own descriptor is not there as far as the program can see. */
int state_close(int fd)
{
	int result;

	if (unlikely(capture_file_owns(fd))) {
		errno = EBADF;
		return -1;
	}
	result = next_close(fd);
	if (fd >= 0)
		streams_forget(fd);
	return result;
}

int state_close_range(unsigned first, unsigned last, int flags)
{
	unsigned own = (unsigned)capture_file_descriptor();
	int result = 0;

	/* Before ours, and then what is after it. */
	if (first <= own && own <= last && own <= INT_MAX) {
		if (own > first)
			result = next_close_range(first, own - 1, flags);
		if (result == 0 && own < last)
			result = next_close_range(own + 1, last, flags);
	} else {
		result = next_close_range(first, last, flags);
	}
	streams_forget_range(first, last);
	return result;
}

void state_closefrom(int first)
{
	if (first < 0)
		first = 0;
	if (state_close_range((unsigned)first, UINT_MAX, 0) == 0)
		return;
	/* No close_range in this kernel: let libc do as it does. */
	capture_file_evade();
	next_closefrom(first);
	streams_forget_range(0, STREAMS_FDS - 1);
}

int state_dup2(int from, int to)
{
	int result;

	if (unlikely(capture_file_owns(to)))
		capture_file_evade();
	result = next_dup2(from, to);
	if (to >= 0)
		streams_forget(to);
	return result;
}

int state_dup3(int from, int to, int flags)
{
	int result;

	if (unlikely(capture_file_owns(to)))
		capture_file_evade();
	result = next_dup3(from, to, flags);
	if (to >= 0)
		streams_forget(to);
	return result;
}

int state_daemon(const struct call *call, int stay, int keep)
{
	int result;

	stdio_buffer_drain_all(call);
	result = next_daemon(stay, keep);
	streams_forget_range(0, 2);
	return result;
}

/* What macros have put into buffers has been said once, not by both. */
pid_t state_fork(const struct call *call, pid_t (*next)(void))
{
	bool busy = writer_before_fork();
	pid_t pid;

	stdio_buffer_drain_all(call);
	pid = next();
	if (busy)
		writer_after_fork(pid == 0);
	return pid;
}

/* These open a terminal as 0, 1 and 2 inside libc. */
pid_t state_forkpty(const struct call *call, int *master, char *name,
	const struct termios *settings, const struct winsize *size)
{
	bool busy = writer_before_fork();
	pid_t pid;

	stdio_buffer_drain_all(call);
	pid = next_forkpty(master, name, settings, size);
	if (pid == 0)
		streams_forget_range(0, 2);
	if (busy)
		writer_after_fork(pid == 0);
	return pid;
}

int state_login_tty(int fd)
{
	int result = next_login_tty(fd);

	streams_forget_range(0, 2);
	return result;
}

/* Directives may mean anything from here on: texts are made at once. */
int state_register(int result)
{
	plan_always_at_once = true;
	__atomic_fetch_add(&process_generation, 1, __ATOMIC_RELEASE);
	return result;
}

/* From here on threads keep groups of calls together. */
void state_flockfile(FILE *file)
{
	stdio_turn_matters = true;
	next_flockfile(file);
}

int state_ftrylockfile(FILE *file)
{
	stdio_turn_matters = true;
	return next_ftrylockfile(file);
}

/* Addresses may be used again for something else. */
int state_dlclose(void *handle)
{
	int result = next_dlclose(handle);

	__atomic_fetch_add(&process_generation, 1, __ATOMIC_RELEASE);
	return result;
}

char *state_setlocale(int category, const char *name)
{
	char *result = next_setlocale(category, name);

	if (name)
		locale_changed();
	return result;
}

/* From here on a thread may have a locale of its own. */
locale_t state_uselocale(locale_t locale)
{
	if (locale)
		locale_differs_by_thread();
	return next_uselocale(locale);
}
