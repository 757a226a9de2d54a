/*
 * Messages to syslog: which are recorded, sent, both or neither, and what they
 * say of who sends them.  What a mask of priorities means is asked of libc.
 */
#include "shim/host/inside.h"

#include <syslog.h>

#include <setjmp.h>
#include <cmocka.h>

#include "record/libc.h"
#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/stdio/fast.h"
#include "shim/streams/streams.h"
#include "shim/writer/position.h"
#include "tests/unit/world/cancel_world.h"
#include "tests/unit/world/switched_streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* ---- what the library would be ---- */

#define STDERR_STREAM 9u

bool sys_forbidden;
uint32_t host_libc_version = LIBC_VERSION(__GLIBC__, __GLIBC_MINOR__);

static struct {
	bool no_syslog, no_stderr, no_fast, no_time;
	unsigned records; /* before no more can be made */
	unsigned fast, slow, echoes, sent, passed, dropped, asked;
	int32_t priority, pid, offset;
	const char *ident;
	char said[256], written[256], with_pid[256];
	uint64_t ticks;
	const char *opened;
	int option, facility;
	bool matters;	/* where the writes of stderr would go */
	size_t counted; /* what no record tells of its bytes */
} world;

void control_follow(void)
{
}

unsigned streams_syslog(void)
{
	return world.no_syslog ? STREAM_PASS : STREAM_SYSLOG;
}

unsigned streams_decide(int fd)
{
	assert_int_equal(fd, STDERR_FILENO);
	return world.no_stderr ? STREAM_PASS : STDERR_STREAM;
}

void writer_count_passed(void)
{
	world.passed++;
}

void writer_count_dropped(void)
{
	world.dropped++;
}

bool position_matters(unsigned stream)
{
	return world.matters && stream != STREAM_PASS;
}

void position_add(unsigned stream, size_t bytes)
{
	assert_int_equal(stream, STDERR_STREAM);
	world.counted += bytes;
}

static struct tm *local_time(const time_t *now, struct tm *to)
{
	world.asked++;
	assert_true(*now > 1000000000);
	errno = EINVAL;
	to->tm_gmtoff = 3600;
	return world.no_time ? NULL : to;
}

struct tm *(*host_localtime_r)(const time_t *, struct tm *) = local_time;

__attribute__((const)) static int *where_errno_is(void)
{
	return __errno_location();
}

__attribute__((const)) int *(*host_errno)(void) = where_errno_is;

static void open_natively(const char *name, int option, int facility)
{
	if (name)
		world.opened = name;
	world.option = option;
	world.facility = facility;
}

static void close_natively(void)
{
	world.opened = NULL;
}

static ssize_t write_natively(int fd, const void *p, size_t size)
{
	assert_int_equal(fd, STDERR_FILENO);
	assert_true(size < sizeof(world.written));
	memcpy(world.written, p, size);
	world.written[size] = '\0';
	return (ssize_t)size;
}

ssize_t (*next_write)(int, const void *, size_t) = write_natively;
void (*next_openlog)(const char *, int, int) = open_natively;
void (*next_closelog)(void) = close_natively;
int (*next_setlogmask)(int) = setlogmask;

static void note(int priority, int pid, const char *ident, const char *format,
	va_list ap)
{
	va_list again;

	world.priority = priority;
	world.pid = pid;
	world.ident = ident;
	va_copy(again, ap);
	vsnprintf(world.said, sizeof(world.said), format, again);
	va_end(again);
}

static void print(char to[256], const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(to, 256, format, ap);
	va_end(ap);
}

static bool is_taken(void)
{
	if (world.records == 0)
		return false;
	world.records--;
	return true;
}

bool fast_syslog(const struct call *call, const struct fast_message *message,
	const char *format, va_list ap)
{
	(void)call;
	if (world.no_fast || !is_taken())
		return false;
	assert_non_null(message->ident);
	world.offset = message->utc_offset(world.ticks);
	note(message->priority, message->pid, message->ident, format, ap);
	world.fast++;
	return true;
}

int capture_format(const struct call *call, const struct capture_text *how,
	const char *format, va_list ap)
{
	bool echo = how->text == BINLOG_TEXT_SYSLOG_PERROR;

	(void)call;
	assert_int_equal(how->prefixes, 4);
	assert_int_equal(how->stream, echo ? STDERR_STREAM : STREAM_SYSLOG);
	if (!is_taken())
		return CAPTURE_PASS;
	world.offset = how->prefix[2].number_at(world.ticks);
	note(how->prefix[0].number, how->prefix[1].number,
		how->prefix[3].string, format, ap);
	*(echo ? &world.echoes : &world.slow) += 1;
	return (int)strlen(world.said);
}

int pass_on_vsnprintf(
	char *to, size_t size, int chk, const char *format, va_list ap)
{
	va_list copy;
	int result;

	assert_int_equal(chk, 0);
	va_copy(copy, ap);
	result = vsnprintf(to, size, format, copy);
	va_end(copy);
	return result;
}

/* Of a FILE, which nothing here is put to. */
int (*next_fputws)(const wchar_t *, FILE *);
size_t (*next_fwrite)(const void *, size_t, size_t, FILE *);
size_t (*host_mbrtowc)(wchar_t *, const char *, size_t, mbstate_t *);

size_t put_block(const struct call *call, const void *p, size_t size, size_t n,
	FILE *file, size_t (*next)(const void *, size_t, size_t, FILE *))
{
	(void)call, (void)p, (void)size, (void)n, (void)file, (void)next;
	fail();
	return 0;
}

int wide_string(const struct call *call, const wchar_t *s, FILE *file,
	int (*next)(const wchar_t *, FILE *))
{
	(void)call, (void)s, (void)file, (void)next;
	fail();
	return 0;
}

void pass_on_vsyslog(int priority, int chk, const char *format, va_list ap)
{
	(void)ap;
	(void)format;
	assert_int_equal(chk, 1);
	world.priority = priority;
	world.sent++;
}

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	memset(streams, 0, sizeof(streams));
	memset(&switches, 0, sizeof(switches));
	world.records = UINT_MAX;
	switches.level = LEVEL_LAST;
	syslog_open(NULL, 0, LOG_USER);
	syslog_close();
	syslog_mask(0xff);
	return 0;
}

/* ---- calls ---- */

/* 'f', 's': recorded, on the fast way or the other; 'e': on stderr, too; 'w':
 * written there; 'n': sent; several of them or none. */
static const char *log_it(int priority, const char *format, ...)
{
	static const struct call call = {.sp = 1000};
	static char outcome[8];
	char *to = outcome;
	va_list ap;

	world.fast = world.slow = world.echoes = world.sent = 0;
	world.written[0] = '\0';
	print(world.with_pid, "name[%d]: text\n", getpid());
	errno = ENOENT;
	va_start(ap, format);
	syslog_message(&call, priority, 1, format, ap);
	va_end(ap);
	assert_int_equal(errno, ENOENT);
	assert_true(world.fast + world.slow <= 2);
	assert_true(world.echoes <= 1 && world.sent <= 1);
	if (world.fast)
		*to++ = 'f';
	for (unsigned i = 0; i < world.slow; i++)
		*to++ = 's';
	if (world.echoes)
		*to++ = 'e';
	if (world.written[0])
		*to++ = 'w';
	if (world.sent)
		*to++ = 'n';
	*to = '\0';
	return outcome;
}

#define LOGS(wanted, ...) assert_string_equal(log_it(__VA_ARGS__), wanted)

/* ---- the tests ---- */

static void who_sends_it_is_as_openlog_has_it(void **state)
{
	(void)state;
	LOGS("f", LOG_INFO, "%d", 7);
	assert_string_equal(world.said, "7");
	assert_int_equal(world.priority, LOG_USER | LOG_INFO);
	assert_string_equal(world.ident, __progname);
	assert_int_equal(world.pid, 0);
	syslog_open("name", LOG_PID, LOG_LOCAL1);
	LOGS("f", LOG_ERR, "text");
	assert_string_equal(world.ident, "name");
	assert_int_equal(world.priority, LOG_LOCAL1 | LOG_ERR);
	assert_int_equal(world.pid, getpid());
	LOGS("f", LOG_MAIL | LOG_ERR, "text");
	assert_int_equal(world.priority, LOG_MAIL | LOG_ERR);
	/* No name is the one before, and so was no facility. */
	host_libc_version = LIBC_KERN_FACILITY - 1;
	syslog_open(NULL, 0, 0);
	LOGS("f", LOG_ERR, "text");
	assert_string_equal(world.ident, "name");
	assert_int_equal(world.priority, LOG_LOCAL1 | LOG_ERR);
	host_libc_version = LIBC_KERN_FACILITY;
	syslog_open(NULL, 0, 0);
	LOGS("f", LOG_ERR, "text");
	assert_int_equal(world.priority, LOG_KERN | LOG_ERR);
	syslog_open(NULL, 0, LOG_LOCAL1);
	syslog_open("other", 0, LOG_LOCAL2 | LOG_ERR); /* is none */
	LOGS("f", LOG_ERR, "text");
	assert_int_equal(world.priority, LOG_LOCAL1 | LOG_ERR);
	syslog_close();
	LOGS("f", LOG_ERR, "text");
	assert_string_equal(world.ident, __progname);
}

static void a_program_may_have_no_name(void **state)
{
	char *kept = __progname;

	(void)state;
	__progname = NULL;
	syslog_close();
	LOGS("s", LOG_INFO, "text");
	assert_null(world.ident);
	__progname = kept;
}

/* Where nothing is sent there is nobody to be connected with. */
static void a_connection_is_made_for_what_is_sent(void **state)
{
	(void)state;
	syslog_open("name", LOG_NDELAY | LOG_PID, LOG_USER);
	assert_int_equal(world.option, LOG_PID);
	streams[STREAM_SYSLOG].tee = true;
	syslog_open("name", LOG_NDELAY | LOG_PID, LOG_USER);
	assert_int_equal(world.option, LOG_NDELAY | LOG_PID);
	world.no_syslog = true;
	streams[STREAM_SYSLOG].tee = false;
	syslog_open("name", LOG_NDELAY, LOG_MAIL);
	assert_int_equal(world.option, LOG_NDELAY);
	assert_int_equal(world.facility, LOG_MAIL);
	assert_string_equal(world.opened, "name");
}

static void masks_are_libcs(void **state)
{
	static const int masks[] = {LOG_MASK(LOG_ERR), LOG_UPTO(LOG_INFO), 0,
		LOG_MASK(LOG_DEBUG) | LOG_MASK(LOG_EMERG), 0xff};

	(void)state;
	for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		syslog_mask(masks[i]);
		for (int p = LOG_EMERG; p <= LOG_DEBUG; p++)
			LOGS(setlogmask(0) & LOG_MASK(p) ? "f" : "", p, "text");
	}
}

static void what_is_below_the_level_is_neither_recorded_nor_sent(void **state)
{
	(void)state;
	switches.level = LOG_WARNING;
	switches.syslog_off = switches_syslog_off(LOG_WARNING);
	LOGS("f", LOG_WARNING, "text");
	LOGS("", LOG_NOTICE, "text");
	assert_true(syslog_is_off(LOG_NOTICE));
	syslog_mask(LOG_MASK(LOG_WARNING)); /* both count */
	LOGS("", LOG_ERR, "text");
	LOGS("", LOG_NOTICE, "text");
	syslog_mask(0xff);
	LOGS("", LOG_NOTICE, "text");
	/* With tee it is sent, and with pass. */
	streams[STREAM_SYSLOG].tee = true;
	LOGS("n", LOG_NOTICE, "text");
	assert_false(syslog_is_off(LOG_NOTICE));
	LOGS("sn", LOG_ERR, "text");
	world.no_syslog = true;
	LOGS("n", LOG_NOTICE, "text");
	LOGS("n", LOG_ERR, "text");
	assert_int_equal(world.passed, 0);
}

/* libc complains of it, and uses what is left of it. */
static void what_is_no_priority_is_complained_of(void **state)
{
	(void)state;
	world.no_fast = true;
	LOGS("ss", 1 << 20 | LOG_INFO, "text");
	assert_int_equal(world.priority, LOG_USER | LOG_INFO);
	assert_string_equal(world.said, "text");
	syslog_mask(LOG_MASK(LOG_ERR));
	LOGS("s", 1 << 20 | LOG_INFO, "text");
	assert_string_equal(
		world.said, "syslog: unknown facility/priority: 100006");
	assert_int_equal(world.priority, LOG_AUTH | LOG_ERR);
	syslog_mask(LOG_MASK(LOG_INFO));
	LOGS("s", 1 << 20 | LOG_INFO, "text");
	assert_string_equal(world.said, "text");
	syslog_mask(0xff);
	world.no_syslog = true; /* libc does all of it */
	LOGS("n", 1 << 20, "text");
	assert_int_equal(world.priority, 1 << 20);
	world.no_syslog = false;
	LOGS("n", LOG_ERR, NULL);
}

static void without_room_it_is_sent(void **state)
{
	(void)state;
	world.no_fast = true;
	LOGS("s", LOG_ERR, "text");
	world.records = 0;
	LOGS("n", LOG_ERR, "text");
	assert_int_equal(world.passed, 1);
	streams[STREAM_SYSLOG].tee = true;
	LOGS("n", LOG_ERR, "text");
	assert_int_equal(world.passed, 2);
}

static void an_echo_is_recorded_where_stderr_is(void **state)
{
	(void)state;
	syslog_open("name", LOG_PERROR | LOG_PID, LOG_USER);
	LOGS("se", LOG_ERR, "text");
	assert_int_equal(world.pid, getpid());
	/* Without room, and where stderr is not recorded, it is written. */
	world.records = 1;
	LOGS("sw", LOG_ERR, "text");
	assert_string_equal(world.written, world.with_pid);
	assert_int_equal(world.passed, 1);
	world.records = UINT_MAX;
	world.no_stderr = true;
	LOGS("sw", LOG_ERR, "text\n");
	assert_string_equal(world.written, world.with_pid);
	assert_int_equal(world.option, LOG_PERROR | LOG_PID);
	world.no_stderr = false;
	streams[STDERR_STREAM].tee = true;
	LOGS("sew", LOG_ERR, "text");
	streams[STDERR_STREAM].tee = false;
	/* A record of it counts what it says, and one for each prefix. */
	world.matters = true;
	LOGS("se", LOG_ERR, "text");
	assert_int_equal(
		world.counted + 4 + strlen("text"), strlen(world.with_pid));
	LOGS("se", LOG_ERR, "text\n");
	assert_int_equal(world.counted + 2 * (4 + strlen("text")) + 1,
		2 * strlen(world.with_pid));
}

/* Then libc prints it, but not where that is recorded and nothing else. */
static void an_echo_of_what_is_sent_is_recorded_where_stderr_is(void **state)
{
	(void)state;
	streams[STREAM_SYSLOG].tee = true;
	syslog_open("name", LOG_PERROR, LOG_MAIL);
	LOGS("sen", LOG_ERR, "text");
	assert_int_equal(world.option, 0);
	assert_int_equal(world.facility, LOG_MAIL);
	streams[STDERR_STREAM].tee = true;
	LOGS("sen", LOG_ERR, "text");
	assert_int_equal(world.option, LOG_PERROR);
	streams[STDERR_STREAM].tee = false;
	LOGS("sen", LOG_ERR, "text");
	assert_int_equal(world.option, 0);
	world.no_stderr = true;
	LOGS("sn", LOG_ERR, "text");
	assert_int_equal(world.option, LOG_PERROR);
	world.no_stderr = false;
	world.no_syslog = true;
	streams[STREAM_SYSLOG].tee = false;
	LOGS("en", LOG_ERR, "text");
	assert_int_equal(world.option, 0);
	world.no_stderr = true;
	LOGS("n", LOG_ERR, "text");
	assert_int_equal(world.option, LOG_PERROR);
}

/* It may change, but not often. */
static void libc_is_asked_for_the_time_zone_now_and_then(void **state)
{
	static char first[] = "TZ=ABC-3", second[] = "TZ=ABC-3DEF";
	static char *one[] = {first, NULL}, *other[] = {second, NULL};
	char **kept = environ;

	(void)state;
	world.ticks = (uint64_t)5 << 37;
	world.no_time = true;
	LOGS("f", LOG_ERR, "text");
	assert_int_equal(world.offset, 0);
	world.no_time = false;
	LOGS("f", LOG_ERR, "text");
	assert_int_equal(world.offset, 3600);
	assert_int_equal(world.asked, 2);
	world.ticks += ((uint64_t)1 << 37) - 1;
	LOGS("f", LOG_ERR, "text");
	assert_int_equal(world.asked, 2);
	world.ticks++;
	LOGS("f", LOG_ERR, "text");
	assert_int_equal(world.asked, 3);
	environ = one;
	LOGS("f", LOG_ERR, "text");
	assert_int_equal(world.asked, 3);
	tzset();
	LOGS("f", LOG_ERR, "text");
	assert_int_equal(world.asked, 4);
	LOGS("f", LOG_ERR, "text");
	assert_int_equal(world.asked, 4);
	environ = other;
	tzset();
	LOGS("f", LOG_ERR, "text");
	assert_int_equal(world.asked, 5);
	environ = kept;
	tzset();
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(libc_is_asked_for_the_time_zone_now_and_then),
		TEST(who_sends_it_is_as_openlog_has_it),
		TEST(a_program_may_have_no_name),
		TEST(a_connection_is_made_for_what_is_sent),
		TEST(masks_are_libcs),
		TEST(what_is_below_the_level_is_neither_recorded_nor_sent),
		TEST(what_is_no_priority_is_complained_of),
		TEST(without_room_it_is_sent),
		TEST(an_echo_is_recorded_where_stderr_is),
		TEST(an_echo_of_what_is_sent_is_recorded_where_stderr_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
