#include <error.h>

#include "shim/bytes.h"
#include "shim/host.h"
#include "shim/stdio_buffer.h"
#include "shim/streams.h"
#include "shim/sys.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* passed on */

enum outcome {
	RECORDED,
	NATIVE,	  /* make the call natively (also) */
	IN_PARTS, /* too long for one record: print its parts */
};

/* Records on stderr. */
static enum outcome record(const struct call *call, struct capture_text *how,
	const char *format, va_list ap)
{
	FILE *file = stderr;
	int result;

	how->stream = streams_of_file(file);
	if (how->stream == STREAM_PASS)
		return NATIVE;
	do {
		/* perror(3) leaves the orientation of stderr alone. */
		if (how->text != BINLOG_TEXT_PERROR || file->_mode != 0)
			stdio_buffer_prepare(call, file, how->stream, true);
		result = capture_format(call, how, format, ap);
	} while (result == CAPTURE_PASS && call->turn->lost);
	if (streams[how->stream].tee)
		return NATIVE;
	return result == CAPTURE_PASS ? IN_PARTS : RECORDED;
}

/* The same for a function without a format. */
static enum outcome record_plain(
	const struct call *call, struct capture_text *how, ...)
{
	va_list none;
	enum outcome outcome;

	va_start(none, how);
	outcome = record(call, how, NULL, none);
	va_end(none);
	return outcome;
}

static void put(const struct call *call, const char *s)
{
	put_string(call, s, stderr, next_fputs);
}

/* The name of an error; one that has none is put together in `buffer`. */
static const char *error_text(int number, char *buffer, size_t size)
{
	const char *text = host_strerrordesc_np(number);
	struct bytes_text unknown = {buffer, size, 0};

	if (text)
		return text;
	bytes_put(&unknown, "Unknown error ");
	if (number < 0)
		bytes_put(&unknown, "-");
	bytes_put_number(&unknown,
		number < 0 ? -(unsigned)number : (unsigned)number, 10);
	return buffer;
}

static void put_error(const struct call *call, int number)
{
	char buffer[40];

	put(call, error_text(number, buffer, sizeof(buffer)));
}

/*
 * A message in the parts that it is made of, each of them recorded or written
 * as there is room; `number` is an errno, or -1 for none.
 */
static void put_parts(const struct call *call, const char *prefix,
	const char *format, va_list ap, int number)
{
	put(call, prefix);
	if (format)
		print_file(call, stderr, 0, format, ap);
	if (number != -1) {
		if (format)
			put(call, ": ");
		put_error(call, number);
	}
	put(call, "\n");
}

#define STRING_PREFIX(s)                                                       \
	{                                                                      \
		.kind = BINLOG_ARG_STRING, .string = (s)                       \
	}
#define NUMBER_PREFIX(n)                                                       \
	{                                                                      \
		.kind = BINLOG_ARG_I32, .number = (n)                          \
	}

/*
 * As long as stderr has no orientation, glibc's perror prints to a duplicate
 * of its descriptor opened for "w+".  That fails if it is not open for
 * reading, which stays in errno (programs print it with their next message),
 * and stderr itself is used, which gives it an orientation.
 */
static void mimic_perror(void)
{
	long flags = SYS3(fcntl, stderr->_fileno, F_GETFL, 0);

	if (sys_failed(flags) || (flags & O_ACCMODE) == O_RDWR)
		return;
	errno = EINVAL;
	stderr->_mode = -1;
}

void report_errno(const struct call *call, const char *s)
{
	const struct capture_prefix prefix[] = {
		STRING_PREFIX(s), NUMBER_PREFIX(errno)};
	struct capture_text how = {
		.text = BINLOG_TEXT_PERROR, .prefixes = 2, .prefix = prefix};

	int number = errno;

	switch (record_plain(call, &how)) {
	case NATIVE:
		next_perror(s);
		break;
	case IN_PARTS:
		if (s && *s) {
			put(call, s);
			put(call, ": ");
		}
		put_error(call, number);
		put(call, "\n");
		break;
	case RECORDED:
		if (stderr->_mode == 0)
			mimic_perror();
	}
}

static enum outcome record_warn(
	const struct call *call, const char *format, va_list ap)
{
	const struct capture_prefix prefix[] = {
		STRING_PREFIX(program_invocation_short_name),
		NUMBER_PREFIX(errno)};
	struct capture_text how = {
		.text = BINLOG_TEXT_WARN, .prefixes = 2, .prefix = prefix};

	return record(call, &how, format, ap);
}

static enum outcome record_warnx(
	const struct call *call, const char *format, va_list ap)
{
	const struct capture_prefix prefix[] = {
		STRING_PREFIX(program_invocation_short_name)};
	struct capture_text how = {
		.text = BINLOG_TEXT_WARNX, .prefixes = 1, .prefix = prefix};

	return record(call, &how, format, ap);
}

static void put_warn(
	const struct call *call, const char *format, va_list ap, int number)
{
	put(call, program_invocation_short_name);
	put_parts(call, ": ", format, ap, number);
}

void report_warn(const struct call *call, const char *format, va_list ap)
{
	int number = errno;
	enum outcome outcome = record_warn(call, format, ap);

	if (outcome == NATIVE)
		next_vwarn(format, ap);
	else if (outcome == IN_PARTS)
		put_warn(call, format, ap, number);
}

void report_warnx(const struct call *call, const char *format, va_list ap)
{
	enum outcome outcome = record_warnx(call, format, ap);

	if (outcome == NATIVE)
		next_vwarnx(format, ap);
	else if (outcome == IN_PARTS)
		put_warn(call, format, ap, -1);
}

_Noreturn void report_err(
	const struct call *call, int status, const char *format, va_list ap)
{
	report_warn(call, format, ap);
	host_exit(status);
	__builtin_unreachable();
}

_Noreturn void report_errx(
	const struct call *call, int status, const char *format, va_list ap)
{
	report_warnx(call, format, ap);
	host_exit(status);
	__builtin_unreachable();
}

/* What error(3) puts before the text: "program: " or "program:file:line: ". */
static void put_origin(struct bytes_text *prefix, bool at_line,
	const char *name, unsigned line)
{
	if (!error_print_progname) {
		bytes_put(prefix, program_invocation_name);
		bytes_put(prefix, at_line ? ":" : ": ");
	}
	if (!at_line)
		return;
	if (!name) {
		bytes_put(prefix, " ");
		return;
	}
	bytes_put(prefix, name);
	bytes_put(prefix, ":");
	bytes_put_number(prefix, line, 10);
	bytes_put(prefix, ": ");
}

static void put_parts_of_error(const struct call *call, enum outcome outcome,
	const char *prefix, int number, const char *format, va_list ap)
{
	char buffer[40];

	if (outcome == IN_PARTS) {
		put_parts(call, prefix, format, ap, number ? number : -1);
		return;
	}
	next_fputs(prefix, stderr);
	next_vfprintf(stderr, format, ap);
	if (number) {
		next_fputs(": ", stderr);
		next_fputs(error_text(number, buffer, sizeof(buffer)), stderr);
	}
	next_putc('\n', stderr);
}

static void report(const struct call *call, int status, int number,
	const char *origin, const char *format, va_list ap)
{
	const struct capture_prefix prefix[] = {
		STRING_PREFIX(origin), NUMBER_PREFIX(number)};
	struct capture_text how = {
		.text = BINLOG_TEXT_ERROR, .prefixes = 2, .prefix = prefix};
	enum outcome outcome;

	/* error(3) has no variant with a va_list to pass it on to: where it
	 * is to be made natively, its parts are. */
	outcome = record(call, &how, format, ap);
	if (outcome != RECORDED)
		put_parts_of_error(call, outcome, origin, number, format, ap);
	error_message_count++;
	state_fflush(call, stderr, next_fflush);
	if (status)
		host_exit(status);
}

void report_error(const struct call *call, int status, int number,
	const char *name, unsigned line, const char *format, va_list ap)
{
	char buffer[1024];
	struct bytes_text prefix = {buffer, sizeof(buffer), 0};

	(void)name;
	(void)line;
	buffer[0] = '\0';
	state_fflush(call, stdout, next_fflush);
	if (error_print_progname)
		error_print_progname();
	put_origin(&prefix, false, NULL, 0);
	report(call, status, number, buffer, format, ap);
}

/* error_one_per_line: not twice about one line. */
static bool is_repeated(const char *name, unsigned line)
{
	static const char *last_name;
	static unsigned last_line;
	size_t length;

	if (!error_one_per_line)
		return false;
	if (line == last_line && name && last_name) {
		length = bytes_length(name);
		if (name == last_name || (bytes_length(last_name) == length &&
						 bytes_starts(last_name, name)))
			return true;
	}
	if (line == last_line && name == last_name)
		return true;
	last_name = name;
	last_line = line;
	return false;
}

void report_error_at_line(const struct call *call, int status, int number,
	const char *name, unsigned line, const char *format, va_list ap)
{
	char buffer[1024];
	struct bytes_text prefix = {buffer, sizeof(buffer), 0};

	if (is_repeated(name, line))
		return;
	buffer[0] = '\0';
	state_fflush(call, stdout, next_fflush);
	if (error_print_progname)
		error_print_progname();
	put_origin(&prefix, true, name, line);
	report(call, status, number, buffer, format, ap);
}
