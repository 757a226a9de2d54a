#include "shim/stdio_buffer.h"
#include "shim/streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* passed on */

static int pass_file(FILE *file, int chk, const char *format, va_list ap)
{
	return chk ? next___vfprintf_chk(file, chk, format, ap)
		   : next_vfprintf(file, format, ap);
}

static int pass_descriptor(int fd, int chk, const char *format, va_list ap)
{
	return chk ? next___vdprintf_chk(fd, chk, format, ap)
		   : next_vdprintf(fd, format, ap);
}

static inline int record(const struct call *call, unsigned stream, int chk,
	const char *format, va_list ap)
{
	const struct capture_text how = {
		.stream = stream, .text = BINLOG_TEXT_FORMAT, .chk = chk};
	int length;

	if (unlikely(!format))
		return CAPTURE_PASS;
	length = capture_format(call, &how, format, ap);
	if (unlikely(streams[stream].tee))
		return CAPTURE_PASS;
	if (unlikely(length == CAPTURE_PASS && !call->turn->lost))
		writer_count_passed();
	return length;
}

int print_file(const struct call *call, FILE *file, int chk, const char *format,
	va_list ap)
{
	unsigned stream = streams_of_file(file);
	int length;

	if (stream == STREAM_PASS)
		return pass_file(file, chk, format, ap);
	do {
		stdio_buffer_prepare(call, file, stream, true);
		length = record(call, stream, chk, format, ap);
	} while (unlikely(length == CAPTURE_PASS && call->turn->lost));
	if (unlikely(length == CAPTURE_PASS)) {
		length = pass_file(file, chk, format, ap);
		if (streams[stream].tee)
			stdio_buffer_settle(file);
	}
	return length;
}

int print_descriptor(const struct call *call, int fd, int chk,
	const char *format, va_list ap)
{
	unsigned stream = streams_of(fd);
	int length;

	if (stream == STREAM_PASS)
		return pass_descriptor(fd, chk, format, ap);
	length = record(call, stream, chk, format, ap);
	if (unlikely(length == CAPTURE_PASS))
		length = pass_descriptor(fd, chk, format, ap);
	return length;
}
