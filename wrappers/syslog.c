#include <syslog.h>
#include <time.h>

#include "record/libc.h"
#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/host/sys.h"
#include "shim/stdio/cancel.h"
#include "shim/stdio/fast.h"
#include "shim/streams/streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* As libc keeps them: the pointer to the ident, not a copy (openlog(3)). */
static const char *log_ident;
static int log_option;
static int log_facility = LOG_USER;

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

void syslog_open(const char *name, int option, int facility)
{
	if (name)
		__atomic_store_n(&log_ident, name, __ATOMIC_RELEASE);
	__atomic_store_n(&log_option, option, __ATOMIC_RELAXED);
	if ((facility & ~LOG_FACMASK) == 0 &&
		(facility != 0 ||
			libc_has(host_libc_version, LIBC_KERN_FACILITY)))
		__atomic_store_n(&log_facility, facility, __ATOMIC_RELAXED);
	/* Where messages are not sent, the connection is not made either. */
	if (streams_syslog() != STREAM_PASS && !streams[STREAM_SYSLOG].tee)
		option &= ~LOG_NDELAY;
	next_openlog(name, option, facility);
}

void syslog_close(void)
{
	__atomic_store_n(&log_ident, NULL, __ATOMIC_RELEASE);
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

/*
 * Seconds east of UTC.  Asking libc takes its lock and may allocate, as the
 * native syslog() does for every message; we ask once in a while.
 */
static int32_t utc_offset(uint64_t ticks)
{
	static uint64_t asked = ~(uint64_t)0;
	static int32_t known;
	uint64_t period = ticks >> OFFSET_SHIFT;
	struct timespec now = {0};
	struct tm local;
	int kept;

	if (likely(period == __atomic_load_n(&asked, __ATOMIC_ACQUIRE)))
		return __atomic_load_n(&known, __ATOMIC_RELAXED);
	kept = errno; /* "%m" is that of the call */
	SYS2(clock_gettime, CLOCK_REALTIME, &now);
	if (host_localtime_r(&now.tv_sec, &local)) {
		__atomic_store_n(
			&known, (int32_t)local.tm_gmtoff, __ATOMIC_RELAXED);
		__atomic_store_n(&asked, period, __ATOMIC_RELEASE);
	}
	errno = kept;
	return __atomic_load_n(&known, __ATOMIC_RELAXED);
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
	       !has_option(LOG_PERROR) &&
	       fast_syslog(call, &message, format, ap);
}

static bool record(const struct call *call, unsigned stream, unsigned text,
	int priority, int chk, const char *format, va_list ap)
{
	const struct capture_prefix prefix[] = {
		{.kind = BINLOG_ARG_I32, .number = priority},
		{.kind = BINLOG_ARG_I32,
			.number = has_option(LOG_PID) ? (int)SYS0(getpid) : 0},
		{.kind = BINLOG_ARG_I32, .number_at = utc_offset},
		{.kind = BINLOG_ARG_STRING, .string = ident()},
	};
	const struct capture_text how = {.stream = stream,
		.text = text,
		.chk = chk,
		.prefixes = 4,
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

void syslog_message(const struct call *call, int priority, int chk,
	const char *format, va_list ap)
{
	unsigned stream = streams_syslog();
	unsigned echo = STREAM_PASS;
	int kept = errno;
	bool recorded;

	switch_off(stream != STREAM_PASS && !streams[stream].tee
			   ? control_switches->syslog_off
			   : 0);
	if (syslog_is_off(priority))
		return;
	if (stream == STREAM_PASS || priority & ~(LOG_PRIMASK | LOG_FACMASK) ||
		LOG_PRI(priority) > control_level() || !format) {
		pass_on_vsyslog(priority, chk, format, ap);
		return;
	}
	if ((priority & LOG_FACMASK) == 0)
		priority |= __atomic_load_n(&log_facility, __ATOMIC_RELAXED);
	if (!ident())
		__atomic_store_n(&log_ident, __progname, __ATOMIC_RELEASE);
	if (record_fast(call, stream, priority, format, ap))
		return;
	/* Where libc would connect, or send. */
	if (unlikely(cancel_is_on()))
		host_pthread_testcancel();
	if (has_option(LOG_PERROR))
		echo = streams_of(STDERR_FILENO);
	recorded = record(
		call, stream, BINLOG_TEXT_SYSLOG, priority, chk, format, ap);
	if (!recorded)
		writer_count_passed();
	if (!recorded || streams[stream].tee ||
		(has_option(LOG_PERROR) && echo == STREAM_PASS)) {
		pass_on_vsyslog(priority, chk, format, ap);
		return;
	}
	if (echo != STREAM_PASS &&
		!record(call, echo, BINLOG_TEXT_SYSLOG_PERROR, priority, chk,
			format, ap))
		writer_count_dropped();
	errno = kept;
}
