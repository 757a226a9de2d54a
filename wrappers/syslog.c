#include <syslog.h>
#include <time.h>

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
static int log_mask = 0xff;

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
		log_mask = mask;
	return next_setlogmask(mask);
}

/*
 * Seconds east of UTC.  Asking libc takes its lock and may allocate, as the
 * native syslog() does for every message; we ask at most every five minutes.
 */
static int utc_offset(void)
{
	static int64_t asked;
	static int offset;
	struct timespec now = {0};
	struct tm local;

	SYS2(clock_gettime, CLOCK_REALTIME, &now);
	if (now.tv_sec - __atomic_load_n(&asked, __ATOMIC_RELAXED) >= 300 &&
		host_localtime_r(&now.tv_sec, &local)) {
		offset = (int)local.tm_gmtoff;
		__atomic_store_n(&asked, now.tv_sec, __ATOMIC_RELAXED);
	}
	return offset;
}

static bool record(const struct call *call, unsigned stream, unsigned text,
	int priority, int chk, const char *format, va_list ap)
{
	const struct capture_prefix prefix[] = {
		{.kind = BINLOG_ARG_I32, .number = priority},
		{.kind = BINLOG_ARG_I32,
			.number = log_option & LOG_PID ? (int)SYS0(getpid) : 0},
		{.kind = BINLOG_ARG_I32, .number = utc_offset()},
		{.kind = BINLOG_ARG_STRING, .string = log_ident},
	};
	const struct capture_text how = {.stream = stream,
		.text = text,
		.chk = chk,
		.prefixes = 4,
		.prefix = prefix};

	return capture_format(call, &how, format, ap) != CAPTURE_PASS;
}

void syslog_message(const struct call *call, int priority, int chk,
	const char *format, va_list ap)
{
	unsigned stream = streams_syslog();
	unsigned echo = STREAM_PASS;
	int kept = errno;
	bool recorded;

	if (stream == STREAM_PASS || priority & ~(LOG_PRIMASK | LOG_FACMASK) ||
		LOG_PRI(priority) > process.level) {
		pass_on_vsyslog(priority, chk, format, ap);
		return;
	}
	if (!(LOG_MASK(LOG_PRI(priority)) & log_mask))
		return;
	if ((priority & LOG_FACMASK) == 0)
		priority |= log_facility;
	if (!log_ident)
		log_ident = __progname;
	if (log_option & LOG_PERROR)
		echo = streams_of(STDERR_FILENO);
	utc_offset();
	errno = kept; /* "%m" is that of the call */
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
