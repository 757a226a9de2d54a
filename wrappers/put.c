#include "shim/host/bytes.h"
#include "shim/host/libio.h"
#include "shim/host/sys.h"
#include "shim/record/terminal.h"
#include "shim/stdio/cancel.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/held.h"
#include "shim/streams/streams.h"
#include "shim/writer/position.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* A call was recorded, or not: whether it is (also) to be made natively. */
static inline bool is_done(const struct call *call, FILE *file, unsigned stream,
	bool locks, bool recorded)
{
	if (unlikely(!recorded)) {
		writer_count_passed();
		stdio_buffer_write(call, file, stream, locks);
	}
	return recorded && likely(!streams[stream].tee);
}

/* After it has been made natively. */
static inline void settle(FILE *file, unsigned stream, bool locks)
{
	if (unlikely(stream != STREAM_PASS))
		stdio_buffer_written(file, stream, locks);
}

/* So many bytes have been recorded. */
static COLD void offer_cancel(
	unsigned stream, unsigned text, const char *p, size_t size)
{
	bool line = text == BINLOG_TEXT_BYTES_LINE;

	for (size_t i = 0; i < size && !line; i++)
		line = p[i] == '\n';
	cancel_after_slow(stream, size, line);
}

/*
 * Where the text is also written, and the thread may be cancelled meanwhile, it
 * is written first: what libc leaves in the buffer then is recorded when it is
 * found there.
 */
static inline bool is_written_first(unsigned stream)
{
	return unlikely(cancel_is_on()) && streams[stream].tee;
}

static COLD void begin_writing(
	const struct call *call, FILE *file, unsigned stream, bool locks)
{
	int kept = errno;

	stdio_buffer_prepare(call, file, stream, locks);
	stdio_buffer_settle(file);
	errno = kept;
}

static COLD void record_written(const struct call *call, FILE *file,
	unsigned stream, bool locks, unsigned text, const void *p, size_t size)
{
	int kept = errno;
	bool recorded;

	do {
		call->turn->lost = false;
		recorded = capture_bytes(call, stream, text, p, size);
	} while (!recorded && call->turn->lost);
	if (!recorded)
		writer_count_passed();
	settle(file, stream, locks);
	errno = kept;
}

/* Records bytes for a FILE; false: make the call natively (also). */
static bool record(const struct call *call, FILE *file, unsigned stream,
	bool locks, unsigned text, const void *p, size_t size)
{
	/* puts("") puts one character. */
	bool is_one = size == 0 && text == BINLOG_TEXT_BYTES_LINE;
	bool recorded;

	if (is_one)
		cancel_before_character(stream);
	else
		cancel_before(stream, size);
	do {
		stdio_buffer_prepare(call, file, stream, locks);
		recorded = capture_bytes(call, stream, text, p, size);
	} while (unlikely(!recorded && call->turn->lost));
	if (unlikely(streams[stream].watched) && recorded) {
		held_block(file, p, size);
		if (text == BINLOG_TEXT_BYTES_LINE)
			held_bytewise(file, "\n", 1);
	}
	if (!is_done(call, file, stream, locks, recorded))
		return false;
	if (is_one)
		cancel_after_character(stream, '\n');
	else if (unlikely(cancel_is_on()))
		offer_cancel(stream, text, p, size);
	return true;
}

int put_line(const struct call *call, const char *s)
{
	FILE *file = stdout;
	unsigned stream = stdio_buffer_stream(call, file);
	size_t length;
	int result;

	if (stream == STREAM_PASS)
		return next_puts(s);
	length = bytes_length(s);
	if (is_written_first(stream)) {
		begin_writing(call, file, stream, true);
		result = next_puts(s);
		record_written(call, file, stream, true, BINLOG_TEXT_BYTES_LINE,
			s, length);
		return result;
	}
	if (!record(call, file, stream, true, BINLOG_TEXT_BYTES_LINE, s,
		    length)) {
		result = next_puts(s);
		settle(file, stream, true);
		return result;
	}
	return length < INT_MAX ? (int)length + 1 : INT_MAX;
}

int put_string(const struct call *call, const char *s, FILE *file,
	int (*next)(const char *, FILE *))
{
	unsigned stream = stdio_buffer_stream(call, file);
	bool locks = next != next_fputs_unlocked;
	size_t length;
	int result;

	if (stream == STREAM_PASS)
		return next(s, file);
	length = bytes_length(s);
	/* fwide(file, -1) */
	if (unlikely(length == 0) &&
		__atomic_load_n(&file->_mode, __ATOMIC_RELAXED) == 0)
		__atomic_store_n(&file->_mode, -1, __ATOMIC_RELAXED);
	if (is_written_first(stream) && length > 0) {
		begin_writing(call, file, stream, locks);
		result = next(s, file);
		record_written(call, file, stream, locks, BINLOG_TEXT_BYTES, s,
			length);
		return result;
	}
	if (length > 0 && !record(call, file, stream, locks, BINLOG_TEXT_BYTES,
				  s, length)) {
		result = next(s, file);
		settle(file, stream, locks);
		return result;
	}
	return 1;
}

/*
 * libc copies into its buffer what fits, and would die of what cannot be read.
 * What would fill it again goes past it: the kernel reads that, and says so.
 * How many bytes come before these, and how many these are.
 */
static size_t past_buffer(
	FILE *file, unsigned stream, size_t bytes, size_t *before)
{
	size_t block = streams[stream].buffer_bytes;
	size_t held;

	*before = 0;
	if (file->_flags & LIBIO_UNBUFFERED)
		return bytes;
	if (block == 0 || bytes < block)
		return 0;
	position_settle();
	held = held_bytes(file) % block;
	if (held > 0)
		*before = block - held;
	return (bytes - *before) / block * block;
}

static bool is_on_page_of(uintptr_t sp, const void *p, size_t size)
{
	return (uintptr_t)p / SYS_PAGE == sp / SYS_PAGE &&
	       ((uintptr_t)p + size - 1) / SYS_PAGE == sp / SYS_PAGE;
}

/*
 * How many bytes of a block the kernel would take, where it is the kernel that
 * would read the first one that is not there; else all.
 */
static size_t bytes_taken(const struct call *call, FILE *file, unsigned stream,
	const void *p, size_t size)
{
	const struct iovec all = {(void *)(uintptr_t)p, size};
	size_t before, past, readable;

	if (!(file->_flags & LIBIO_UNBUFFERED) &&
		likely(size < streams[stream].buffer_bytes))
		return size;
	if (is_on_page_of(call->sp, p, size))
		return size;
	readable = sys_readable(p, size);
	if (likely(readable == size))
		return size;
	past = past_buffer(file, stream, size, &before);
	if (readable < before || readable - before >= past)
		return size;
	return sys_are_addresses(&all, 1) ? readable : 0;
}

size_t put_block(const struct call *call, const void *p, size_t size,
	size_t count, FILE *file,
	size_t (*next)(const void *, size_t, size_t, FILE *))
{
	unsigned stream = stdio_buffer_stream(call, file);
	bool locks = next != next_fwrite_unlocked;
	size_t bytes, taken;
	bool done;

	if (stream == STREAM_PASS ||
		__builtin_mul_overflow(size, count, &bytes) || bytes == 0)
		return next(p, size, count, file);
	if (is_written_first(stream)) {
		begin_writing(call, file, stream, locks);
		count = next(p, size, count, file);
		record_written(
			call, file, stream, locks, BINLOG_TEXT_BYTES, p, bytes);
		return count;
	}
	taken = bytes_taken(call, file, stream, p, bytes);
	done = taken > 0 &&
	       record(call, file, stream, locks, BINLOG_TEXT_BYTES, p, taken);
	if (unlikely(taken < bytes) && !streams[stream].tee &&
		(done || taken == 0)) {
		file->_flags |= LIBIO_ERR_SEEN;
		errno = EFAULT;
		return taken / size;
	}
	if (!done) {
		count = next(p, size, count, file);
		settle(file, stream, locks);
	}
	return count;
}

static bool record_character(
	const struct call *call, FILE *file, unsigned stream, bool locks, int c)
{
	bool recorded;

	do {
		stdio_buffer_prepare(call, file, stream, locks);
		recorded = capture_character(call, stream, c);
	} while (unlikely(!recorded && call->turn->lost));
	if (unlikely(streams[stream].watched) && recorded)
		held_bytewise(file, &(char){(char)c}, 1);
	return is_done(call, file, stream, locks, recorded);
}

/* The characters that follow are collected: give them a buffer. */
static COLD void collect(const struct call *call, FILE *file, unsigned stream)
{
	stdio_buffer_collect(call, file, stream);
	if (stdio_buffer_collects == file &&
		(!(file->_flags & LIBIO_CURRENTLY_PUTTING) ||
			!file->_IO_write_base))
		next___overflow(file, EOF);
}

/*
 * A byte among wide text lands in the buffer for what that is converted to, and
 * is forgotten when that is used the next time.  Only as the first text of all
 * is it made wide; and without a buffer there is room for one.
 */
static COLD bool is_swallowed(const FILE *file, unsigned stream)
{
	position_settle();
	return streams[stream].buffering != BINLOG_BUFFER_NONE &&
	       streams_has_said(file);
}

/* Where the thread may be cancelled. */
static COLD int put_cancellable(const struct call *call, int c, FILE *file,
	unsigned stream, int (*next)(int, FILE *))
{
	bool locks = next != next_putc_unlocked;
	const char byte = (char)c;
	int result = (unsigned char)c;

	cancel_before_character(stream);
	if (is_written_first(stream)) {
		begin_writing(call, file, stream, locks);
		result = next(c, file);
		record_written(
			call, file, stream, locks, BINLOG_TEXT_BYTES, &byte, 1);
	} else if (!record_character(call, file, stream, locks, c)) {
		result = next(c, file);
		settle(file, stream, locks);
	} else {
		cancel_after_character(stream, c);
		if (stdio_buffer_collects != file)
			collect(call, file, stream);
	}
	return result;
}

int put_character(
	const struct call *call, int c, FILE *file, int (*next)(int, FILE *))
{
	unsigned stream = stdio_buffer_stream(call, file);
	bool locks = next != next_putc_unlocked;
	int result = (unsigned char)c;

	/* Alone of all functions it does not refuse a wide FILE. */
	if (unlikely(stream == STREAM_PASS && file->_mode > 0)) {
		stream = streams_of_any_file(file);
		if (stream != STREAM_PASS && is_swallowed(file, stream))
			return streams[stream].tee ? next(c, file) : result;
	}
	if (stream == STREAM_PASS)
		return next(c, file);
	if (unlikely(cancel_is_on()))
		return put_cancellable(call, c, file, stream, next);
	if (!record_character(call, file, stream, locks, c)) {
		result = next(c, file);
		settle(file, stream, locks);
		return result;
	}
	if (unlikely(stdio_buffer_collects != file))
		collect(call, file, stream);
	return result;
}

int put_word(const struct call *call, int word, FILE *file)
{
	unsigned stream = stdio_buffer_stream(call, file);
	int result = 0;

	if (stream != STREAM_PASS && is_written_first(stream)) {
		begin_writing(call, file, stream, true);
		result = next_putw(word, file);
		record_written(call, file, stream, true, BINLOG_TEXT_BYTES,
			&word, sizeof(word));
		return result;
	}
	if (stream == STREAM_PASS ||
		!record(call, file, stream, true, BINLOG_TEXT_BYTES, &word,
			sizeof(word))) {
		result = next_putw(word, file);
		settle(file, stream, true);
	}
	return result;
}

static bool is_written_at_once(const FILE *file, int c)
{
	return file->_flags & LIBIO_UNBUFFERED ||
	       (file->_flags & LIBIO_LINE_BUFFERED && c == '\n');
}

/*
 * A macro has found no room in the buffer for `c`, or no buffer.  A byte that
 * would be written at once is recorded here; others must land in the buffer,
 * since some callers take them out again (and find the rest of it usable).
 */
int put_overflow(const struct call *call, FILE *file, int c)
{
	unsigned stream = stdio_buffer_stream(call, file);
	bool fills; /* as natively, where nothing else was in the buffer */

	if (stream == STREAM_PASS)
		return next___overflow(file, c);
	/* With no place to remember it the FILE gets no buffer at all. */
	if (!stdio_buffer_remember(file) && !streams[stream].tee) {
		if (c == EOF)
			return 0;
		return record_character(call, file, stream, false, c)
			       ? (unsigned char)c
			       : next___overflow(file, c);
	}
	/* Get it a buffer and find out how it is buffered. */
	if (!(file->_flags & LIBIO_CURRENTLY_PUTTING) ||
		!file->_IO_write_base) {
		if (next___overflow(file, EOF) == EOF)
			return EOF;
		/* One that has been here before was at the same address. */
		stdio_buffer_flushed(file);
	}
	fills = file->_IO_write_ptr == file->_IO_buf_end && c != EOF &&
		__atomic_load_n(&streams[stream].pending, __ATOMIC_RELAXED) ==
			PENDING_NOTHING;
	/* Reading flushes what lands in the buffer of a line-buffered FILE. */
	streams_reading_shows |=
		streams[stream].buffering == BINLOG_BUFFER_LINE;
	stdio_buffer_prepare(call, file, stream, false);
	if (is_written_first(stream) && c != EOF) {
		const char byte = (char)c;

		begin_writing(call, file, stream, false);
		c = next___overflow(file, c);
		record_written(
			call, file, stream, false, BINLOG_TEXT_BYTES, &byte, 1);
		return c;
	}
	if (streams[stream].tee) {
		if (c != EOF && !capture_character(call, stream, c))
			writer_count_passed();
		c = next___overflow(file, c);
		stdio_buffer_settle(file);
		return c;
	}
	/* `c` itself is not known of before the next call. */
	if (fills && streams_flush(stream)) {
		position_flushed(stream);
		capture_event(call, stream, BINLOG_TEXT_FLUSH, 0);
	}
	cancel_before_character(stream);
	if (c != EOF && is_written_at_once(file, c) &&
		record_character(call, file, stream, false, c)) {
		cancel_after_character(stream, c);
		return (unsigned char)c;
	}
	return next___overflow(file, c);
}
