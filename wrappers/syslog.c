#include <syslog.h>
#include <time.h>

#include "shim/fast.h"
#include "shim/host.h"
#include "shim/pass_on.h"
#include "shim/streams.h"
#include "shim/sys.h"
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

void syslog_open(const char *ident, int option, int facility)
{
	if (ident)
		log_ident = ident;
	log_option = option;
	if (facility != 0 && (facility & ~LOG_FACMASK) == 0)
		log_facility = facility;
	/* Where messages are not sent, the connection is not made either. */
	if (streams_syslog() != STREAM_PASS && !streams[STREAM_SYSLOG].tee)
		option &= ~LOG_NDELAY;
	next_openlog(ident, option, facility);
}

void syslog_close(void)
{
	log_ident = NULL;
	next_closelog();
}

int syslog_mask(int mask)
{
	if (mask != 0)
		masked = ~(uint32_t)mask & 0xff;
	syslog_off = masked | below;
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
	static int32_t offset;
	uint64_t period = ticks >> OFFSET_SHIFT;
	struct timespec now = {0};
	struct tm local;
	int kept;

	if (likely(period == __atomic_load_n(&asked, __ATOMIC_RELAXED)))
		return offset;
	kept = errno; /* "%m" is that of the call */
	SYS2(clock_gettime, CLOCK_REALTIME, &now);
	if (host_localtime_r(&now.tv_sec, &local)) {
		offset = (int32_t)local.tm_gmtoff;
		__atomic_store_n(&asked, period, __ATOMIC_RELAXED);
	}
	errno = kept;
	return offset;
}

/* The usual way, in which it is written to nothing but the capture. */
static bool record_fast(const struct call *call, unsigned stream, int priority,
	const char *format, va_list ap)
{
	const struct fast_message message = {.priority = priority,
		.pid = (log_option & LOG_PID) ? (int)SYS0(getpid) : 0,
		.utc_offset = utc_offset,
		.ident = log_ident};

	/* Another thread may have closed the log meanwhile. */
	return message.ident && !streams[stream].tee &&
	       !(log_option & LOG_PERROR) &&
	       fast_syslog(call, &message, format, ap);
}

static bool record(const struct call *call, unsigned stream, unsigned text,
	int priority, int chk, const char *format, va_list ap)
{
	const struct capture_prefix prefix[] = {
		{.kind = BINLOG_ARG_I32, .number = priority},
		{.kind = BINLOG_ARG_I32,
			.number = (log_option & LOG_PID) ? (int)SYS0(getpid)
							 : 0},
		{.kind = BINLOG_ARG_I32, .number_at = utc_offset},
		{.kind = BINLOG_ARG_STRING, .string = log_ident},
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
	if (likely(bits == below))
		return;
	__atomic_store_n(&below, bits, __ATOMIC_RELAXED);
	__atomic_store_n(&syslog_off, masked | bits, __ATOMIC_RELAXED);
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
		LOG_PRI(priority) > control_level()) {
		pass_on_vsyslog(priority, chk, format, ap);
		return;
	}
	if ((priority & LOG_FACMASK) == 0)
		priority |= log_facility;
	if (!log_ident)
		log_ident = __progname;
	if (record_fast(call, stream, priority, format, ap))
		return;
	if (log_option & LOG_PERROR)
		echo = streams_of(STDERR_FILENO);
	recorded = record(
		call, stream, BINLOG_TEXT_SYSLOG, priority, chk, format, ap);
	if (!recorded)
		writer_count_passed();
	if (!recorded || streams[stream].tee ||
		(log_option & LOG_PERROR && echo == STREAM_PASS)) {
		pass_on_vsyslog(priority, chk, format, ap);
		return;
	}
	if (echo != STREAM_PASS &&
		!record(call, echo, BINLOG_TEXT_SYSLOG_PERROR, priority, chk,
			format, ap))
		writer_count_dropped();
	errno = kept;
}
