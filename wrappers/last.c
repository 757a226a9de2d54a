#include <sys/mman.h>

#include "record/libc.h"
#include "shim/host/bytes.h"
#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/host/sys.h"
#include "shim/record/fortify.h"
#include "shim/start/abort_message.h"
#include "shim/start/fatal.h"
#include "shim/streams/streams.h"
#include "shim/writer/stdio_turn.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

_Noreturn void last_abort(const struct call *call)
{
	fatal_abort(call);
	next_abort();
	__builtin_unreachable();
}

/* ---- asserts ---- */

/* As glibc names them to its translators; each ended in "%n" before 2.41. */
#define ASSERTION "%s%s%s:%u: %s%sAssertion `%s' failed.\n"
#define UNEXPECTED "%s%s%s:%u: %s%sUnexpected error: %s.\n"

/* The longest format that a translation may have. */
#define FORMAT_BYTES 512

/* The translation without its "%n"; `plain` where there is none. */
static const char *translate(
	const char *plain, const char *named, char buffer[FORMAT_BYTES])
{
	const char *text = host_dcgettext("libc", named, LC_MESSAGES);
	size_t length = bytes_length(text);

	if (text == named)
		return host_dcgettext("libc", plain, LC_MESSAGES);
	if (length < 2 || length > FORMAT_BYTES ||
		!bytes_starts(text + length - 2, "%n"))
		return plain;
	bytes_copy(buffer, text, length - 2);
	buffer[length - 2] = '\0';
	return buffer;
}

/* What is said when memory is short is said without __abort_msg. */
static void set_message(const char *format, va_list ap)
{
	int length = pass_on_vsnprintf(NULL, 0, 0, format, ap);
	size_t size = (size_t)length + 1;
	long text;

	if (length < 0)
		return;
	text = SYS6(mmap, 0, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(text))
		return;
	pass_on_vsnprintf((char *)text, size, 0, format, ap);
	abort_message_set((const char *)text, (size_t)length);
	SYS2(munmap, text, size);
}

/* In the order of glibc: print, flush, then leave it in __abort_msg. */
static _Noreturn void say(const struct call *call, const char *format, ...)
{
	va_list ap;

	/* Nobody is cancelled on the way to abort(). */
	host_pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	va_start(ap, format);
	print_file(call, stderr, 0, format, ap);
	va_end(ap);
	state_fflush(call, stderr, next_fflush);
	va_start(ap, format);
	set_message(format, ap);
	va_end(ap);
	stdio_turn_end(call->turn);
	last_abort(call);
}

static bool is_recorded(void)
{
	return streams_of_file(stderr) != STREAM_PASS;
}

static _Noreturn void fail(const struct call *call, const char *format,
	const char *what, const char *file, unsigned line, const char *function)
{
	const char *program = __progname;

	say(call, format, program, *program ? ": " : "", file, line,
		function ? function : "", function ? ": " : "", what);
}

_Noreturn void last_assert(const struct call *call, const char *what,
	const char *file, unsigned line, const char *function)
{
	char buffer[FORMAT_BYTES];

	if (!is_recorded())
		next___assert_fail(what, file, line, function);
	fail(call, translate(ASSERTION, ASSERTION "%n", buffer), what, file,
		line, function);
}

_Noreturn void last_old_assert(
	const struct call *call, const char *what, const char *file, int line)
{
	if (libc_has(host_libc_version, LIBC_OLD_ASSERT))
		next___assert(what, file, line);
	last_assert(call, what, file, (unsigned)line, NULL);
}

_Noreturn void last_assert_perror(const struct call *call, int number,
	const char *file, unsigned line, const char *function)
{
	char buffer[FORMAT_BYTES];
	char name[1024];

	if (!is_recorded())
		next___assert_perror_fail(number, file, line, function);
	fail(call, translate(UNEXPECTED, UNEXPECTED "%n", buffer),
		host_strerror_r(number, name, sizeof(name)), file, line,
		function);
}

/* ---- what glibc writes to descriptor 2 by itself ---- */

static bool is_said(const struct call *call, unsigned stream, const char *text)
{
	return stream != STREAM_PASS &&
	       capture_bytes(call, stream, BINLOG_TEXT_BYTES, text,
		       bytes_length(text));
}

bool last_refuse(const struct call *call, const char *format)
{
	const char *text = fortify_decision(format);
	unsigned stream = streams_of(STDERR_FILENO);

	if (!text || !is_said(call, stream, text))
		return text != NULL;
	if (streams[stream].tee) {
		abort_message_expect(text);
		return true;
	}
	abort_message_set(text, bytes_length(text));
	last_abort(call);
}

_Noreturn void last_fortify(
	const struct call *call, const char *text, void (*next)(void))
{
	unsigned stream = streams_of(STDERR_FILENO);
	bool said = is_said(call, stream, text);

	if (!said || streams[stream].tee) {
		if (said)
			abort_message_expect(text);
		next();
	}
	abort_message_set(text, bytes_length(text));
	last_abort(call);
}
