#include <syslog.h>
#include <time.h>

#include "record/libc.h"
#include "shim/host/bytes.h"
#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/host/sys.h"
#include "shim/stdio/cancel.h"
#include "shim/stdio/fast.h"
#include "shim/streams/streams.h"
#include "shim/writer/position.h"
#include "wrappers/formatted.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* As libc keeps them: the pointer to the ident, not a copy (openlog(3)). */
static const char *log_ident;
static int log_option;
static int log_facility = LOG_USER;
/* Of these LOG_PERROR is hidden from libc for now, also by openlog(), between
 * which and the next message another thread may have one: see set_echo(). */
static bool log_is_quiet;

uint32_t syslog_off;
/* Those of them that the program has switched off. */
static uint32_t masked;
/* Those of them that are below the level. */
static uint32_t below;

static bool has_option(int option)
{
	return __atomic_load_n(&log_option, __ATOMIC_RELAXED) & option;
}

static const char *ident(void)
{
	return __atomic_load_n(&log_ident, __ATOMIC_ACQUIRE);
}

static void set_off(uint32_t one, uint32_t other)
{
	__atomic_store_n(&syslog_off, one | other, __ATOMIC_RELAXED);
}

/* Where messages are not sent, the connection is not made either. */
static int native_option(int option)
{
	if (__atomic_load_n(&log_is_quiet, __ATOMIC_RELAXED))
		option &= ~LOG_PERROR;
	return streams_syslog() != STREAM_PASS && !streams[STREAM_SYSLOG].tee
		       ? option & ~LOG_NDELAY
		       : option;
}

/*
 * What libc sends it prints on stderr itself, where the program has asked for
 * that; `loud`: it shall, since that text is not recorded in place of being
 * written.
 */
static void set_echo(bool loud)
{
	int option = __atomic_load_n(&log_option, __ATOMIC_RELAXED);

	if (!(option & LOG_PERROR) || __atomic_exchange_n(&log_is_quiet, !loud,
					      __ATOMIC_RELAXED) != loud)
		return;
	next_openlog(NULL, native_option(option),
		__atomic_load_n(&log_facility, __ATOMIC_RELAXED));
}

void syslog_open(const char *name, int option, int facility)
{
	if (name)
		__atomic_store_n(&log_ident, name, __ATOMIC_RELEASE);
	__atomic_store_n(&log_option, option, __ATOMIC_RELAXED);
	if ((facility & ~LOG_FACMASK) == 0 &&
		(facility != 0 ||
			libc_has(host_libc_version, LIBC_KERN_FACILITY)))
		__atomic_store_n(&log_facility, facility, __ATOMIC_RELAXED);
	next_openlog(name, native_option(option), facility);
}

/* Whose name is that of the next message.  Never null again: another thread may
 * be about to record one. */
void syslog_close(void)
{
	__atomic_store_n(&log_ident, __progname, __ATOMIC_RELEASE);
	next_closelog();
}

int syslog_mask(int mask)
{
	uint32_t bits = __atomic_load_n(&masked, __ATOMIC_RELAXED);

	if (mask != 0)
		bits = ~(uint32_t)mask & 0xff;
	__atomic_store_n(&masked, bits, __ATOMIC_RELAXED);
	set_off(bits, __atomic_load_n(&below, __ATOMIC_RELAXED));
	return next_setlogmask(mask);
}

/* Ticks for which the offset from UTC is taken to stay: one to two minutes. */
#define OFFSET_SHIFT 37

/* In the bits that a period has not, as long as a machine runs.  By names that
 * no program may have for something else. */
static uint64_t time_zone(void)
{
	return ((uint64_t)__timezone ^ (uintptr_t)__tzname[0] ^
		       (uintptr_t)__tzname[1] << 1)
	       << (64 - OFFSET_SHIFT);
}

/* Seconds east of UTC, and when it was that libc said so. */
static int32_t known_offset;
static uint64_t known_for = ~(uint64_t)0;

static COLD int32_t ask_offset(uint64_t period)
{
	struct timespec now = {0};
	struct tm local;
	int kept = errno; /* "%m" is that of the call */

	SYS2(clock_gettime, CLOCK_REALTIME, &now);
	if (host_localtime_r(&now.tv_sec, &local)) {
		__atomic_store_n(&known_offset, (int32_t)local.tm_gmtoff,
			__ATOMIC_RELAXED);
		/* The zone may have been found out just now. */
		__atomic_store_n(
			&known_for, period ^ time_zone(), __ATOMIC_RELEASE);
	}
	errno = kept;
	return __atomic_load_n(&known_offset, __ATOMIC_RELAXED);
}

/*
 * Asking libc takes its lock and may allocate, as the native syslog() does for
 * every message; we ask once in a while, and when the program has another time
 * zone: tzset() and all that do the same within libc, localtime() for example,
 * leave that in `timezone` and `tzname`.
 */
static int32_t utc_offset(uint64_t ticks)
{
	uint64_t period = ticks >> OFFSET_SHIFT;

	if (likely((period ^ time_zone()) ==
		    __atomic_load_n(&known_for, __ATOMIC_ACQUIRE)))
		return __atomic_load_n(&known_offset, __ATOMIC_RELAXED);
	return ask_offset(period);
}

/* The usual way, in which it is written to nothing but the capture. */
static bool record_fast(const struct call *call, unsigned stream, int priority,
	const char *format, va_list ap)
{
	const struct fast_message message = {.priority = priority,
		.pid = has_option(LOG_PID) ? (int)SYS0(getpid) : 0,
		.utc_offset = utc_offset,
		.ident = ident()};

	/* Another thread may have closed the log meanwhile. */
	return message.ident && !streams[stream].tee &&
	       fast_syslog(call, &message, format, ap);
}

#define PREFIXES 4

static bool record(const struct call *call, unsigned stream, unsigned text,
	int priority, int chk, const char *format, va_list ap)
{
	const struct capture_prefix prefix[PREFIXES] = {
		{.kind = BINLOG_ARG_I32, .number = priority},
		{.kind = BINLOG_ARG_I32,
			.number = has_option(LOG_PID) ? (int)SYS0(getpid) : 0},
		{.kind = BINLOG_ARG_I32, .number_at = utc_offset},
		{.kind = BINLOG_ARG_STRING, .string = ident()},
	};
	const struct capture_text how = {.stream = stream,
		.text = text,
		.chk = chk,
		.prefixes = PREFIXES,
		.prefix = prefix};

	return capture_format(call, &how, format, ap) != CAPTURE_PASS;
}

/*
 * What is recorded in place of being sent is neither, below the level; and
 * remains so when the capture is full.
 */
static void switch_off(uint32_t bits)
{
	if (likely(bits == __atomic_load_n(&below, __ATOMIC_RELAXED)))
		return;
	__atomic_store_n(&below, bits, __ATOMIC_RELAXED);
	set_off(__atomic_load_n(&masked, __ATOMIC_RELAXED), bits);
}

/* What LOG_PERROR asks for, where libc does not do it.  A stream `recorded`
 * that has it already gets only the bytes that its record does not count. */
static COLD void print_echo(
	unsigned recorded, int error, const char *format, va_list ap)
{
	const char *name = ident();
	struct formatted formatted;
	const char *at;
	size_t left, around;
	bool ends;

	formatted_start(&formatted);
	if (name)
		formatted_put(&formatted, name);
	if (has_option(LOG_PID)) {
		formatted_put(&formatted, "[");
		formatted_number(&formatted, (uint64_t)SYS0(getpid));
		formatted_put(&formatted, "]");
	}
	if (name)
		formatted_put(&formatted, ": ");
	around = formatted.length;
	errno = error;
	formatted_print(&formatted, format, ap);
	/* Whether it has a newline tells its last byte; but it ends at a NUL.
	 */
	ends = formatted.length > 0 &&
	       formatted.text[formatted.length - 1] == '\n';
	formatted.length = bytes_length(formatted.text);
	if (!ends)
		formatted_put(&formatted, "\n");
	at = formatted.text;
	/* libc says nothing where the format fails. */
	left = formatted.failed ? 0 : formatted.length;
	if (recorded != STREAM_PASS && left > 0) {
		/* One byte was for each prefix. */
		position_add(recorded, around + !ends - PREFIXES);
		left = 0;
	}
	while (left > 0) {
		ssize_t written = next_write(STDERR_FILENO, at, left);

		if (written <= 0)
			break;
		at += written;
		left -= (size_t)written;
	}
	formatted_end(&formatted);
}

/* libc's words, and its options, which make this priority. */
#define UNKNOWN_PRIORITY "syslog: unknown facility/priority: %x"
#define INTERNAL_PRIORITY (LOG_ERR | LOG_CONS | LOG_PERROR | LOG_PID)

static COLD void complain(const struct call *call, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	syslog_message(call, INTERNAL_PRIORITY, 0, format, ap);
	va_end(ap);
}

static bool is_written(unsigned stream)
{
	return stream == STREAM_PASS || streams[stream].tee;
}

/*
 * A message that is also sent, or printed on stderr, which is `echo`; of the
 * streams each may be STREAM_PASS.
 */
static COLD void record_and_write(const struct call *call, unsigned stream,
	unsigned echo, int priority, int chk, const char *format, va_list ap)
{
	bool recorded = stream == STREAM_PASS ||
			record(call, stream, BINLOG_TEXT_SYSLOG, priority, chk,
				format, ap);
	bool loud = has_option(LOG_PERROR) && is_written(echo);
	int error = errno;

	if (!recorded)
		writer_count_passed();
	if (echo != STREAM_PASS &&
		!record(call, echo, BINLOG_TEXT_SYSLOG_PERROR, priority, chk,
			format, ap)) {
		writer_count_passed();
		loud = true;
	} else if (position_matters(echo)) {
		print_echo(echo, error, format, ap);
	}
	if (!recorded || is_written(stream)) {
		set_echo(loud);
		errno = error; /* for "%m" */
		pass_on_vsyslog(priority, chk, format, ap);
	} else if (loud) {
		print_echo(STREAM_PASS, error, format, ap);
	}
}

void syslog_message(const struct call *call, int priority, int chk,
	const char *format, va_list ap)
{
	unsigned stream = streams_syslog();
	unsigned echo = STREAM_PASS;
	bool echoes = has_option(LOG_PERROR);
	int kept = errno;

	switch_off(stream != STREAM_PASS && !streams[stream].tee
			   ? control_switches->syslog_off
			   : 0);
	if (syslog_is_off(priority))
		return;
	if (unlikely(echoes))
		echo = streams_of(STDERR_FILENO);
	if (unlikely(stream == STREAM_PASS && echo == STREAM_PASS) || !format) {
		set_echo(true);
		pass_on_vsyslog(priority, chk, format, ap);
		return;
	}
	if (unlikely(priority & ~(LOG_PRIMASK | LOG_FACMASK))) {
		complain(call, UNKNOWN_PRIORITY, priority);
		priority &= LOG_PRIMASK | LOG_FACMASK;
		if (syslog_is_off(priority))
			return;
	}
	if (LOG_PRI(priority) > control_level()) {
		set_echo(true);
		pass_on_vsyslog(priority, chk, format, ap);
		return;
	}
	if ((priority & LOG_FACMASK) == 0)
		priority |= __atomic_load_n(&log_facility, __ATOMIC_RELAXED);
	if (!ident())
		__atomic_store_n(&log_ident, __progname, __ATOMIC_RELEASE);
	if (likely(!echoes) && record_fast(call, stream, priority, format, ap))
		return;
	/* Where libc would connect, or send. */
	if (unlikely(cancel_is_on()))
		host_pthread_testcancel();
	record_and_write(call, stream, echo, priority, chk, format, ap);
	errno = kept;
}
