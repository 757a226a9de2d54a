#include "shim/held.h"
#include "shim/pass_on.h"
#include "shim/plan.h"
#include "shim/stdio_buffer.h"
#include "shim/streams.h"
#include "wrappers/handlers.h"

static inline int record(const struct call *call, unsigned stream, int chk,
	const char *format, va_list ap)
{
	const struct capture_text how = {
		.stream = stream, .text = BINLOG_TEXT_FORMAT, .chk = chk};
	int length;

	if (unlikely(!format))
		return CAPTURE_PASS;
	length = capture_format(call, &how, format, ap);
	if (unlikely(length == CAPTURE_PASS && chk > 0))
		last_refuse(call, format);
	if (unlikely(length == CAPTURE_PASS && !call->turn->lost))
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

	stdio_buffer_write(file, stream, true);
	if (plan_always_at_once)
		stdio_buffer_native_begin(call, file);
	length = pass_on_vfprintf(file, chk, format, ap);
	if (plan_always_at_once)
		stdio_buffer_native_end(file);
	stdio_buffer_written(file, stream, true);
	return length;
}

int print_file(const struct call *call, FILE *file, int chk, const char *format,
	va_list ap)
{
	unsigned stream = stdio_buffer_stream(call, file);
	int length;

	if (stream == STREAM_PASS)
		return pass_on_vfprintf(file, chk, format, ap);
	do {
		stdio_buffer_prepare(call, file, stream, true);
		length = record(call, stream, chk, format, ap);
	} while (unlikely(length == CAPTURE_PASS && call->turn->lost));
	if (unlikely(length == CAPTURE_PASS)) {
		length = print_natively(call, file, stream, chk, format, ap);
	} else if (unlikely(streams[stream].watched)) {
		print_shadow(held_shadow(file), format, ap);
	}
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
		length = pass_on_vdprintf(fd, chk, format, ap);
	return length;
}
