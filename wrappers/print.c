#include "shim/host/bytes.h"
#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/stdio/cancel.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/held.h"
#include "shim/streams/streams.h"
#include "shim/writer/plan.h"
#include "wrappers/handlers.h"

static inline int record(const struct call *call, unsigned stream, int chk,
	const char *format, va_list ap)
{
	const struct capture_text how = {
		.stream = stream, .text = BINLOG_TEXT_FORMAT, .chk = chk};
	bool ends = false;
	int length;

	if (unlikely(!format))
		return CAPTURE_PASS;
	length = capture_format(call, &how, format, ap);
	if (unlikely(length == CAPTURE_PASS && chk > 0))
		ends = last_refuse(call, format);
	if (unlikely(length == CAPTURE_PASS && !call->turn->lost && !ends))
		writer_count_passed();
	if (unlikely(streams[stream].tee))
		return CAPTURE_PASS;
	return length;
}

static COLD void print_shadow(FILE *shadow, const char *format, va_list ap)
{
	int kept = errno;

	if (shadow)
		pass_on_vfprintf(shadow, 0, format, ap);
	errno = kept;
}

/* Also, or because it could not be recorded. */
static COLD int print_natively(const struct call *call, FILE *file,
	unsigned stream, int chk, const char *format, va_list ap)
{
	int length;

	stdio_buffer_write(call, file, stream, true);
	if (plan_always_at_once)
		stdio_buffer_native_begin(call, file);
	length = pass_on_vfprintf(file, chk, format, ap);
	if (plan_always_at_once)
		stdio_buffer_native_end(file);
	stdio_buffer_written(file, stream, true);
	return length;
}

/* Longer texts are taken to have a newline. */
#define LINE_MAX_LOOKED_AT 512

static bool has_newline(const char *text)
{
	while (*text && *text != '\n')
		text++;
	return *text;
}

/* What is printed by this format has a newline in it. */
static COLD bool is_line(int chk, const char *format, va_list ap)
{
	char text[LINE_MAX_LOOKED_AT];
	int kept = errno, length;

	if (has_newline(format))
		return true;
	length = pass_on_vsnprintf(text, sizeof(text), chk, format, ap);
	errno = kept;
	return length >= (int)sizeof(text) ||
	       (length >= 0 && has_newline(text));
}

/* A text of so many bytes has been recorded. */
static COLD void offer_cancel(
	unsigned stream, int length, int chk, const char *format, va_list ap)
{
	bool line = streams[stream].buffering == BINLOG_BUFFER_LINE &&
		    is_line(chk, format, ap);

	cancel_after_slow(stream, length > 0 ? (size_t)length : 0, line);
}

/*
 * Where the text is also written, and the thread may be cancelled: whatever
 * libc leaves in the buffer then is recorded when it is found there.
 */
static COLD int write_first(const struct call *call, FILE *file,
	unsigned stream, int chk, const char *format, va_list ap)
{
	int error = errno, result, after;

	stdio_buffer_prepare(call, file, stream, true);
	stdio_buffer_settle(file);
	errno = error;
	result = pass_on_vfprintf(file, chk, format, ap);
	after = errno;
	do {
		errno = error; /* for "%m" */
		record(call, stream, chk, format, ap);
	} while (call->turn->lost);
	stdio_buffer_written(file, stream, true);
	errno = after;
	return result;
}

int print_file(const struct call *call, FILE *file, int chk, const char *format,
	va_list ap)
{
	unsigned stream = stdio_buffer_stream(call, file);
	int length;

	if (stream == STREAM_PASS)
		return pass_on_vfprintf(file, chk, format, ap);
	if (unlikely(cancel_is_on()) && format && streams[stream].tee)
		return write_first(call, file, stream, chk, format, ap);
	cancel_before(stream, 0);
	do {
		stdio_buffer_prepare(call, file, stream, true);
		length = record(call, stream, chk, format, ap);
	} while (unlikely(length == CAPTURE_PASS && call->turn->lost));
	if (unlikely(length == CAPTURE_PASS))
		return print_natively(call, file, stream, chk, format, ap);
	if (unlikely(streams[stream].watched))
		print_shadow(held_shadow(file), format, ap);
	if (unlikely(cancel_is_on()))
		offer_cancel(stream, length, chk, format, ap);
	return length;
}

int print_descriptor(const struct call *call, int fd, int chk,
	const char *format, va_list ap)
{
	unsigned stream = streams_of(fd);
	int length;

	if (stream == STREAM_PASS)
		return pass_on_vdprintf(fd, chk, format, ap);
	stdio_buffer_catch_up(call);
	length = record(call, stream, chk, format, ap);
	if (unlikely(length == CAPTURE_PASS))
		return pass_on_vdprintf(fd, chk, format, ap);
	/* Natively what it has made is still written at the end. */
	host_pthread_testcancel();
	return length;
}
