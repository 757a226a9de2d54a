#include "shim/bytes.h"
#include "shim/stdio_buffer.h"
#include "shim/streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* libio.h */
#define LINE_BUFFERED 0x200
#define UNBUFFERED 0x2
#define CURRENTLY_PUTTING 0x800

/* Records bytes for a FILE; false: make the call natively (also). */
static bool record(const struct call *call, FILE *file, unsigned stream,
	unsigned text, const void *p, size_t size)
{
	if (unlikely(streams[stream].tee)) {
		capture_bytes(call, stream, text, p, size);
		return false;
	}
	stdio_buffer_prepare(call, file, stream);
	if (likely(capture_bytes(call, stream, text, p, size)))
		return true;
	writer_count_passed();
	return false;
}

int put_line(const struct call *call, const char *s)
{
	FILE *file = stdout;
	unsigned stream = streams_of_file(file);
	size_t length;

	if (stream == STREAM_PASS)
		return next_puts(s);
	length = bytes_length(s);
	if (!record(call, file, stream, BINLOG_TEXT_BYTES_LINE, s, length))
		return next_puts(s);
	return length < INT_MAX ? (int)length + 1 : INT_MAX;
}

int put_string(const struct call *call, const char *s, FILE *file,
	int (*next)(const char *, FILE *))
{
	unsigned stream = streams_of_file(file);
	size_t length;

	if (stream == STREAM_PASS)
		return next(s, file);
	length = bytes_length(s);
	if (length > 0 &&
		!record(call, file, stream, BINLOG_TEXT_BYTES, s, length))
		return next(s, file);
	return 1;
}

size_t put_block(const struct call *call, const void *p, size_t size,
	size_t count, FILE *file,
	size_t (*next)(const void *, size_t, size_t, FILE *))
{
	unsigned stream = streams_of_file(file);
	size_t bytes;

	if (stream == STREAM_PASS ||
		__builtin_mul_overflow(size, count, &bytes) || bytes == 0 ||
		!record(call, file, stream, BINLOG_TEXT_BYTES, p, bytes))
		return next(p, size, count, file);
	return count;
}

static bool record_character(
	const struct call *call, FILE *file, unsigned stream, int c)
{
	if (unlikely(streams[stream].tee)) {
		capture_character(call, stream, c);
		return false;
	}
	stdio_buffer_prepare(call, file, stream);
	if (likely(capture_character(call, stream, c)))
		return true;
	writer_count_passed();
	return false;
}

int put_character(
	const struct call *call, int c, FILE *file, int (*next)(int, FILE *))
{
	unsigned stream = streams_of_file(file);

	if (stream == STREAM_PASS || !record_character(call, file, stream, c))
		return next(c, file);
	return (unsigned char)c;
}

int put_word(const struct call *call, int word, FILE *file)
{
	unsigned stream = streams_of_file(file);

	if (stream == STREAM_PASS ||
		!record(call, file, stream, BINLOG_TEXT_BYTES, &word,
			sizeof(word)))
		return next_putw(word, file);
	return 0;
}

static bool is_written_at_once(const FILE *file, int c)
{
	return file->_flags & UNBUFFERED ||
		(file->_flags & LINE_BUFFERED && c == '\n');
}

/*
 * A macro has found no room in the buffer for `c`, or no buffer.  A byte that
 * would be written at once is recorded here; others must land in the buffer,
 * since some callers take them out again (and find the rest of it usable).
 */
int put_overflow(const struct call *call, FILE *file, int c)
{
	unsigned stream = streams_of_file(file);

	if (stream == STREAM_PASS || streams[stream].tee)
		return next___overflow(file, c);
	/* Get it a buffer and find out how it is buffered. */
	if (!(file->_flags & CURRENTLY_PUTTING) || !file->_IO_write_base)
		if (next___overflow(file, EOF) == EOF)
			return EOF;
	stdio_buffer_remember(file);
	stdio_buffer_prepare(call, file, stream);
	if (c != EOF && is_written_at_once(file, c) &&
		record_character(call, file, stream, c))
		return (unsigned char)c;
	return next___overflow(file, c);
}
