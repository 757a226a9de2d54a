#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/host/sys.h"
#include "shim/stdio/cancel.h"
#include "shim/streams/streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"
#include "wrappers/notice.h"

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

static bool has_text(const char *s)
{
	return s && *s;
}

static enum notice_outcome make_perror(
	const struct call *call, const char *s, int number)
{
	enum notice_outcome outcome;
	struct formatted formatted;

	formatted_start(&formatted);
	if (has_text(s)) {
		formatted_put(&formatted, s);
		formatted_put(&formatted, ": ");
	}
	notice_make_error(&formatted, number);
	formatted_put(&formatted, "\n");
	outcome = notice_record_formatted(call, &formatted, false);
	formatted_end(&formatted);
	return outcome;
}

/* Its frame is gone before libc's, which is large, begins. */
static __attribute__((noinline)) enum notice_outcome record_errno(
	const struct call *call, const char *s, int number)
{
	const struct capture_prefix prefix[] = {
		NOTICE_STRING(s), NOTICE_NUMBER(number)};
	struct capture_text how = {
		.text = BINLOG_TEXT_PERROR, .prefixes = 2, .prefix = prefix};

	return notice_is_typed(&number) ? notice_record_plain(call, &how)
					: make_perror(call, s, number);
}

/*
 * Natively a thread that is cancelled in warn(3) keeps the lock of stderr for
 * ever, and one in perror(3) its duplicate: here they are asked before, and not
 * disturbed then.
 */

static int begin_native(void)
{
	return streams_of_any_file(stderr) == STREAM_PASS ? -1
							  : cancel_disable();
}

static void end_native(int state)
{
	if (state >= 0)
		cancel_restore(state);
}

/* glibc closes its duplicate before it prints, which is a cancellation point.
 */
static COLD void offer_cancel(void)
{
	if (stderr->_mode == 0 && streams_of_any_file(stderr) != STREAM_PASS)
		host_pthread_testcancel();
}

void report_errno(const struct call *call, const char *s)
{
	const int number = errno;
	enum notice_outcome outcome;
	int state;

	if (unlikely(cancel_is_on()))
		offer_cancel();
	outcome = record_errno(call, s, number);
	errno = number;
	switch (outcome) {
	case NOTICE_NATIVE:
		state = begin_native();
		next_perror(s);
		notice_settle();
		end_native(state);
		break;
	case NOTICE_IN_PARTS:
		if (has_text(s)) {
			notice_put(call, s);
			notice_put(call, ": ");
		}
		notice_put_error(call, number);
		notice_put(call, "\n");
		break;
	case NOTICE_RECORDED:
		if (stderr->_mode == 0)
			mimic_perror();
		notice_offer_cancel();
	}
}

/* For warn(3) and its kin `error` is the error that is named, or null. */
static enum notice_outcome make_warning(const struct call *call,
	const char *format, va_list ap, const int *error)
{
	enum notice_outcome outcome;
	struct formatted formatted;

	formatted_start(&formatted);
	formatted_put(&formatted, __progname);
	formatted_put(&formatted, ": ");
	if (format)
		formatted_print(&formatted, format, ap);
	if (error) {
		if (format)
			formatted_put(&formatted, ": ");
		notice_make_error(&formatted, *error);
	}
	formatted_put(&formatted, "\n");
	outcome = notice_record_formatted(call, &formatted, true);
	formatted_end(&formatted);
	return outcome;
}

static enum notice_outcome record_warning(const struct call *call,
	const char *format, va_list ap, const int *error)
{
	const struct capture_prefix prefix[] = {
		NOTICE_STRING(__progname), NOTICE_NUMBER(error ? *error : 0)};
	struct capture_text how = {
		.text = error ? BINLOG_TEXT_WARN : BINLOG_TEXT_WARNX,
		.prefixes = error ? 2 : 1,
		.prefix = prefix,
	};

	return notice_is_typed(error) ? notice_record(call, &how, format, ap)
				      : make_warning(call, format, ap, error);
}

static void put_parts(const struct call *call, const char *format, va_list ap,
	const int *error)
{
	int kept = errno;

	notice_put(call, __progname);
	notice_put(call, ": ");
	errno = kept; /* for "%m" */
	if (format)
		print_file(call, stderr, 0, format, ap);
	if (error) {
		if (format)
			notice_put(call, ": ");
		notice_put_error(call, *error);
	}
	notice_put(call, "\n");
}

/* True if the call is (also) to be made natively. */
static bool record_or_put(const struct call *call, const char *format,
	va_list ap, const int *error)
{
	int kept = errno;
	enum notice_outcome outcome = record_warning(call, format, ap, error);

	errno = kept;
	if (outcome == NOTICE_IN_PARTS)
		put_parts(call, format, ap, error);
	else if (outcome == NOTICE_RECORDED)
		notice_offer_cancel();
	return outcome == NOTICE_NATIVE;
}

void report_warn(const struct call *call, const char *format, va_list ap)
{
	const int number = errno;

	if (record_or_put(call, format, ap, &number)) {
		int state = begin_native();

		pass_on_vwarn(format, ap);
		notice_settle();
		end_native(state);
	}
}

void report_warnx(const struct call *call, const char *format, va_list ap)
{
	if (record_or_put(call, format, ap, NULL)) {
		int state = begin_native();

		pass_on_vwarnx(format, ap);
		notice_settle();
		end_native(state);
	}
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
