#include <sys/ioctl.h>

#include "shim/host/libio.h"
#include "shim/host/sys.h"
#include "shim/record/terminal.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* glibc makes such a FILE line-buffered when it gets its buffer. */
static bool is_terminal(int fd)
{
	struct termios settings;

	return fd >= 0 && !sys_failed(SYS3(ioctl, fd, TCGETS, &settings));
}

/*
 * Filling its buffer flushes stdout, as far as the FILE itself tells:
 * _IO_new_file_underflow() and _IO_wfile_underflow() of glibc.
 */
static bool is_interactive(const FILE *file)
{
	return file->_flags & (LIBIO_UNBUFFERED | LIBIO_LINE_BUFFERED) ||
	       !file->_IO_buf_base;
}

/* As libc does; what was said is said before anybody waits. */
static void flush_stdout(const struct call *call)
{
	unsigned stream = streams_of_any_file(stdout);
	int kept = errno;

	if (stream != STREAM_PASS &&
		streams[stream].buffering == BINLOG_BUFFER_LINE)
		state_fflush(call, stdout, next_fflush);
	errno = kept;
}

void input_descriptor(int fd)
{
	if (terminal_waits() &&
		(fd == STDIN_FILENO ||
			streams_replaces_terminal(streams_of(fd))))
		terminal_asked(fd);
}

/* One in memory asks nobody. */
static void ask(const FILE *file)
{
	if (file->_flags & LIBIO_IS_FILEBUF)
		input_descriptor(file->_fileno);
}

/* The buffer of an interactive FILE has to be filled. */
static void fill(const struct call *call, const FILE *file)
{
	/* libc does not look for more behind an end. */
	if (file->_flags & (LIBIO_EOF_SEEN | LIBIO_NO_READS))
		return;
	if (file->_flags & (LIBIO_UNBUFFERED | LIBIO_LINE_BUFFERED) ||
		(file->_flags & LIBIO_IS_FILEBUF && is_terminal(file->_fileno)))
		flush_stdout(call);
	ask(file);
}

static size_t rest_of(const FILE *file)
{
	return (size_t)(file->_IO_read_end - file->_IO_read_ptr);
}

void input_byte(const struct call *call, const FILE *file)
{
	if (is_interactive(file) && rest_of(file) == 0)
		fill(call, file);
}

void input_line(const struct call *call, const FILE *file, int end, size_t size)
{
	const char *rest = file->_IO_read_ptr;

	if (!is_interactive(file) || rest_of(file) >= size)
		return;
	while (rest < file->_IO_read_end && *rest != (char)end)
		rest++;
	if (rest == file->_IO_read_end)
		fill(call, file);
}

void input_block(
	const struct call *call, const FILE *file, size_t size, size_t count)
{
	size_t bytes;

	if (__builtin_mul_overflow(size, count, &bytes))
		bytes = SIZE_MAX;
	if (!is_interactive(file) || rest_of(file) >= bytes)
		return;
	/* What is not smaller than the buffer goes around it. */
	if (file->_flags & LIBIO_UNBUFFERED)
		ask(file);
	else
		fill(call, file);
}

static bool is_space(wint_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/*
 * How much it will read depends on what it finds.  What is shown too early
 * does no harm, and nobody answers what is shown too late.
 */
static void before_scan(const struct call *call, const FILE *file, bool blank)
{
	if (!is_interactive(file))
		return;
	if (blank)
		fill(call, file);
	else
		ask(file);
}

void input_scan(const struct call *call, const FILE *file)
{
	const char *at = file->_IO_read_ptr;

	while (at < file->_IO_read_end && is_space((unsigned char)*at))
		at++;
	before_scan(call, file, at == file->_IO_read_end);
}

/* What the FILE has ready as wide characters. */
static const struct libio_wide *wide_of(const FILE *file)
{
	static const struct libio_wide none;

	return file->_mode > 0 ? (const void *)file->_wide_data : &none;
}

void input_wide(const struct call *call, const FILE *file, wint_t end)
{
	const struct libio_wide *wide = wide_of(file);
	const wchar_t *at = wide->read_at;

	if (!is_interactive(file) || (end == WEOF && at < wide->read_end))
		return;
	while (at < wide->read_end && (wint_t)*at != end)
		at++;
	if (at == wide->read_end && rest_of(file) == 0)
		fill(call, file);
}

void input_wide_scan(const struct call *call, const FILE *file)
{
	const struct libio_wide *wide = wide_of(file);
	const wchar_t *at = wide->read_at;

	while (at < wide->read_end && is_space((wint_t)*at))
		at++;
	before_scan(call, file, at == wide->read_end && rest_of(file) == 0);
}

void input_password(const struct call *call)
{
	flush_stdout(call);
}

int input_settings(int result)
{
	if (result == 0)
		terminal_changed();
	return result;
}
