#include <fmtmsg.h>
#include <syslog.h>

#include "shim/host/host.h"
#include "shim/host/sys.h"
#include "shim/stdio/cancel.h"
#include "shim/streams/streams.h"
#include "wrappers/borrowed_buffer.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"
#include "wrappers/notice.h"

/* Makes the call `what`, with a buffer lent to the FILE. */
#define WITH_BORROWED(file, flags, what)                                       \
	do {                                                                   \
		struct borrowed_buffer buffer =                                \
			borrow_buffer(call, file, flags);                      \
                                                                               \
		what;                                                          \
		borrow_give_back(call, &buffer);                               \
	} while (0)

int internal_getopt(const struct call *call, int argc, char *const *argv,
	const char *options, int (*next)(int, char *const *, const char *))
{
	int result;

	WITH_BORROWED(
		stderr, BORROW_MAY_PRINT, result = next(argc, argv, options));
	return result;
}

int internal_getopt_long(const struct call *call, int argc, char *const *argv,
	const char *options, const struct option *longs, int *index,
	int (*next)(
		int, char *const *, const char *, const struct option *, int *))
{
	int result;

	WITH_BORROWED(stderr, BORROW_MAY_PRINT,
		result = next(argc, argv, options, longs, index));
	return result;
}

void internal_psignal(const struct call *call, int number, const char *s)
{
	unsigned stream = streams_of_any_file(stderr);

	if (stream != STREAM_PASS)
		cancel_before(stream, 0);
	WITH_BORROWED(stderr, 0, next_psignal(number, s));
	notice_offer_cancel();
}

void internal_malloc_stats(const struct call *call)
{
	WITH_BORROWED(stderr, 0, next_malloc_stats());
}

int internal_malloc_info(const struct call *call, int options, FILE *file)
{
	int result;

	WITH_BORROWED(file, 0, result = next_malloc_info(options, file));
	return result;
}

int internal_number(const struct call *call, FILE *file,
	const struct printf_info *info, const void *const *arguments,
	int (*next)(FILE *, const struct printf_info *, const void *const *))
{
	int result;

	WITH_BORROWED(file, 0, result = next(file, info, arguments));
	return result;
}

int internal_entry(const struct call *call, const void *entry, FILE *file,
	int (*next)(const void *, FILE *))
{
	int result;

	WITH_BORROWED(file, BORROW_MAY_PRINT, result = next(entry, file));
	return result;
}

/* ---- fmtmsg ---- */

static void to_syslog(const struct call *call, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	syslog_message(call, LOG_ERR, 0, format, ap);
	va_end(ap);
}

/*
 * What the console gets, by syslog.  Null parts are left out, and so are the
 * separators between them.
 */
static void to_console(const struct call *call, const char *label,
	const char *level, const char *text, const char *action,
	const char *tag)
{
	to_syslog(call, "%s%s%s%s%s%s%s%s%s%s\n", label ? label : "",
		label && (level || text || action || tag) ? ": " : "",
		level ? level : "",
		level && (text || action || tag) ? ": " : "", text ? text : "",
		text && (action || tag) ? "\n" : "", action ? "TO FIX: " : "",
		action ? action : "", action && tag ? "  " : "",
		tag ? tag : "");
}

int internal_fmtmsg(const struct call *call, long classification,
	const char *label, int severity, const char *text, const char *action,
	const char *tag)
{
	/* Others are the program's own (addseverity); libc knows their names.
	 */
	static const char *const levels[] = {
		NULL, "HALT", "ERROR", "WARNING", "INFO"};
	bool console = classification & MM_CONSOLE && severity >= 0 &&
		       severity <= MM_INFO && streams_syslog() != STREAM_PASS;
	int result;

	if (console)
		classification &= ~(long)MM_CONSOLE;
	WITH_BORROWED(stderr, 0,
		result = next_fmtmsg(
			classification, label, severity, text, action, tag));
	if (console && result != MM_NOTOK)
		to_console(call, label, levels[severity], text, action, tag);
	return result;
}

/* ---- those that wait for something ---- */

static bool has_terminal(void)
{
	long fd = SYS4(openat, AT_FDCWD, "/dev/tty", O_RDWR | O_CLOEXEC, 0);

	if (sys_failed(fd))
		return false;
	SYS1(close, fd);
	return true;
}

/*
 * The prompt goes to the terminal, and only where there is none to stderr; it
 * has to be on record before anybody answers it.
 */
char *internal_getpass(const struct call *call, const char *prompt)
{
	char *result;

	if (!prompt || streams_of_any_file(stderr) == STREAM_PASS ||
		has_terminal()) {
		input_password(call);
		return next_getpass(prompt);
	}
	put_string(call, prompt, stderr, next_fputs);
	WITH_BORROWED(stderr, BORROW_WAITS, result = next_getpass(""));
	return result;
}

/* Words with a command in them are done when the command is. */
static bool has_command(const char *words)
{
	for (; *words; words++)
		if (*words == '`' || (words[0] == '$' && words[1] == '('))
			return true;
	return false;
}

int internal_wordexp(
	const struct call *call, const char *words, void *expansion, int flags)
{
	unsigned borrow_flags =
		has_command(words) ? BORROW_WAITS : BORROW_MAY_PRINT;
	int error;

	WITH_BORROWED(stderr, borrow_flags,
		error = next_wordexp(words, expansion, flags));
	return error;
}

int internal_rcmd(const struct call *call, const struct internal_remote *r,
	const char *command, int *error_fd)
{
	int fd;

	WITH_BORROWED(stderr, BORROW_WAITS,
		fd = next_rcmd_af(r->host, (unsigned short)r->port,
			r->local_user, r->user, command, error_fd, r->family));
	return fd;
}

int internal_rexec(const struct call *call, const struct internal_remote *r,
	const char *command, int *error_fd)
{
	int fd;

	WITH_BORROWED(stderr, BORROW_WAITS,
		fd = next_rexec_af(r->host, r->port, r->user, r->password,
			command, error_fd, r->family));
	return fd;
}

int internal_ruserpass(const struct call *call, const char *host,
	const char **name, const char **password)
{
	int result;

	WITH_BORROWED(stderr, BORROW_MAY_PRINT,
		result = next_ruserpass(host, name, password));
	return result;
}
