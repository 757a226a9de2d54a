#include "shim/host.h"
#include "shim/libio.h"
#include "shim/stdio_buffer.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/*
 * What glibc prints to stderr itself passes no name that could be interposed.
 * But stderr is unbuffered: while it has a buffer, the text is found there.
 */
struct loan {
	FILE *file; /* null: nothing was lent */
	unsigned stream;
	struct _IO_FILE before;
	char bytes[1024];
};

static void lend(const struct call *call, struct loan *loan)
{
	FILE *file = stderr;

	loan->file = NULL;
	loan->stream = streams_of_file(file);
	if (loan->stream == STREAM_PASS || streams[loan->stream].tee ||
		!(file->_flags & LIBIO_UNBUFFERED))
		return;
	host_flockfile(file);
	stdio_buffer_drain(call, file, loan->stream);
	/* Should the call end in exit(), it is drained there. */
	stdio_buffer_remember(file);
	loan->file = file;
	loan->before = *file;
	file->_flags =
		(file->_flags & ~LIBIO_UNBUFFERED) | LIBIO_CURRENTLY_PUTTING;
	file->_IO_buf_base = loan->bytes;
	file->_IO_buf_end = loan->bytes + sizeof(loan->bytes);
	file->_IO_read_base = file->_IO_read_ptr = file->_IO_read_end =
		loan->bytes;
	file->_IO_write_base = file->_IO_write_ptr = loan->bytes;
	file->_IO_write_end = file->_IO_buf_end;
}

static void take_back(const struct call *call, const struct loan *loan)
{
	FILE *file = loan->file;
	int kept = errno;

	if (!file)
		return;
	if (file->_IO_write_ptr != file->_IO_write_base &&
		!capture_bytes(call, loan->stream, BINLOG_TEXT_BYTES,
			file->_IO_write_base,
			(size_t)(file->_IO_write_ptr - file->_IO_write_base)))
		next_fflush(file);
	file->_flags = (file->_flags & ~LIBIO_CURRENTLY_PUTTING) |
		       (loan->before._flags &
			       (LIBIO_UNBUFFERED | LIBIO_CURRENTLY_PUTTING));
	file->_IO_buf_base = loan->before._IO_buf_base;
	file->_IO_buf_end = loan->before._IO_buf_end;
	file->_IO_read_base = loan->before._IO_read_base;
	file->_IO_read_ptr = loan->before._IO_read_ptr;
	file->_IO_read_end = loan->before._IO_read_end;
	file->_IO_write_base = loan->before._IO_write_base;
	file->_IO_write_ptr = loan->before._IO_write_ptr;
	file->_IO_write_end = loan->before._IO_write_end;
	host_funlockfile(file);
	errno = kept;
}

int internal_getopt(const struct call *call, int argc, char *const *argv,
	const char *options, int (*next)(int, char *const *, const char *))
{
	struct loan loan;
	int result;

	lend(call, &loan);
	result = next(argc, argv, options);
	take_back(call, &loan);
	return result;
}

int internal_getopt_long(const struct call *call, int argc, char *const *argv,
	const char *options, const struct option *longs, int *index,
	int (*next)(
		int, char *const *, const char *, const struct option *, int *))
{
	struct loan loan;
	int result;

	lend(call, &loan);
	result = next(argc, argv, options, longs, index);
	take_back(call, &loan);
	return result;
}

void internal_psignal(const struct call *call, int number, const char *s)
{
	struct loan loan;

	lend(call, &loan);
	next_psignal(number, s);
	take_back(call, &loan);
}
