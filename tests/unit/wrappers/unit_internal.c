/*
 * What glibc prints by itself: each call is made once, with what it was given,
 * inside of a borrowed buffer of the right kind.  What fmtmsg(3) tells the
 * console is what libc's own says on stderr.
 */
#include "shim/host/inside.h"

#include <fmtmsg.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <syslog.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/host/host.h"
#include "shim/streams/streams.h"
#include "tests/unit/world/cancel_world.h"
#include "tests/unit/world/switched_streams.h"
#include "wrappers/borrowed_buffer.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"
#include "wrappers/notice.h"

/* ---- what the library would be ---- */

bool sys_forbidden;

static struct {
	unsigned stream, syslog;
	int lent;	/* borrowed that are out */
	unsigned flags; /* of the last one */
	char console[4096];
	unsigned asked; /* for a password */
	char said[64];
	const char *prompt;
	long classification;
} world;

static const struct call call = {.sp = 1000};

void control_follow(void)
{
}

void notice_offer_cancel(void)
{
}

unsigned streams_decide_file(const FILE *file, int fd)
{
	(void)file;
	(void)fd;
	return world.stream;
}

unsigned streams_syslog(void)
{
	return world.syslog;
}

struct borrowed_buffer borrow_buffer(
	const struct call *of, FILE *file, unsigned flags)
{
	assert_ptr_equal(of, &call);
	world.lent++;
	world.flags = flags;
	return (struct borrowed_buffer){.file = file};
}

void borrow_give_back(
	const struct call *of, const struct borrowed_buffer *buffer)
{
	assert_ptr_equal(of, &call);
	assert_ptr_equal(buffer->file, stderr);
	world.lent--;
}

void syslog_message(const struct call *of, int priority, int chk,
	const char *format, va_list ap)
{
	assert_ptr_equal(of, &call);
	assert_int_equal(priority, LOG_ERR);
	assert_int_equal(chk, 0);
	assert_int_equal(world.lent, 0);
	vsnprintf(world.console, sizeof(world.console), format, ap);
}

void input_password(const struct call *of)
{
	assert_ptr_equal(of, &call);
	world.asked++;
}

int put_string(const struct call *of, const char *s, FILE *file,
	int (*next)(const char *, FILE *))
{
	assert_ptr_equal(of, &call);
	assert_ptr_equal(file, stderr);
	assert_ptr_equal(next, next_fputs);
	strcpy(world.said, s);
	return 1;
}

static char *take_password(const char *prompt)
{
	static char password[] = "secret";

	world.prompt = prompt;
	return password;
}

static int take_message(long classification, const char *label, int severity,
	const char *text, const char *action, const char *tag)
{
	assert_int_equal(world.lent, 1);
	world.classification = classification;
	return fmtmsg(classification & ~(long)(MM_PRINT | MM_CONSOLE), label,
		severity, text, action, tag);
}

static int take_words(const char *words, void *expansion, int flags)
{
	assert_int_equal(world.lent, 1);
	assert_null(expansion);
	return flags + (int)strlen(words);
}

int (*next_fputs)(const char *, FILE *) = fputs;
char *(*next_getpass)(const char *) = take_password;
int (*next_fmtmsg)(long, const char *, int, const char *, const char *,
	const char *) = take_message;
int (*next_wordexp)(const char *, void *, int) = take_words;
int (*next_malloc_info)(int, FILE *);
void (*next_malloc_stats)(void);
void (*next_psignal)(int, const char *);
int (*next_rcmd_af)(char **, unsigned short, const char *, const char *,
	const char *, int *, sa_family_t);
int (*next_rexec_af)(char **, int, const char *, const char *, const char *,
	int *, sa_family_t);
int (*next_ruserpass)(const char *, const char **, const char **);

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.stream = 9;
	world.syslog = STREAM_SYSLOG;
	return 0;
}

/* ---- fmtmsg ---- */

static void print_natively(char *to, size_t room, const char *label,
	int severity, const char *text, const char *action, const char *tag)
{
	int fd = memfd_create("stderr", 0), kept = dup(2);
	ssize_t n;

	dup2(fd, 2);
	assert_int_equal(
		fmtmsg(MM_PRINT, label, severity, text, action, tag), MM_OK);
	dup2(kept, 2);
	n = pread(fd, to, room - 1, 0);
	to[n > 0 ? n : 0] = '\0';
	close(kept);
	close(fd);
}

static void the_console_gets_what_libc_prints(void **state)
{
	char wanted[4096];

	(void)state;
	for (unsigned i = 0; i < 5 * 16; i++) {
		const char *label = i & 1 ? "part:whole" : NULL;
		const char *text = i & 2 ? "It does not work" : NULL;
		const char *action = i & 4 ? "try again" : NULL;
		const char *tag = i & 8 ? "part:whole:7" : NULL;
		int severity = (int)i / 16;

		print_natively(wanted, sizeof(wanted), label, severity, text,
			action, tag);
		*world.console = '\0';
		assert_int_equal(internal_fmtmsg(&call, MM_PRINT | MM_CONSOLE,
					 label, severity, text, action, tag),
			MM_OK);
		assert_string_equal(world.console, wanted);
		assert_int_equal(world.classification, MM_PRINT);
	}
}

static void says_nothing(long classification, const char *label, int severity,
	long passed, int result)
{
	assert_int_equal(internal_fmtmsg(&call, classification, label, severity,
				 "text", NULL, NULL),
		result);
	assert_string_equal(world.console, "");
	assert_int_equal(world.classification, passed);
}

static void the_rest_is_libcs(void **state)
{
	const int own = 9;

	(void)state;
	assert_int_equal(addseverity(own, "OWN"), MM_OK);
	says_nothing(MM_PRINT, "a:b", MM_HALT, MM_PRINT, MM_OK);
	says_nothing(MM_CONSOLE, "a:b", own, MM_CONSOLE, MM_OK);
	says_nothing(MM_CONSOLE, "a:b", -1, MM_CONSOLE, MM_NOTOK);
	says_nothing(MM_CONSOLE, "no label", MM_HALT, 0, MM_NOTOK);
	world.syslog = STREAM_PASS;
	says_nothing(MM_CONSOLE, "a:b", MM_HALT, MM_CONSOLE, MM_OK);
}

/* ---- those that wait ---- */

static void a_password_is_asked_for_where_somebody_sees_it(void **state)
{
	int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);

	(void)state;
	signal(SIGHUP, SIG_IGN); /* which the kernel may send then */
	if (terminal >= 0)
		ioctl(terminal, TIOCNOTTY);
	assert_string_equal(internal_getpass(&call, "prompt: "), "secret");
	assert_string_equal(world.said, "prompt: ");
	assert_string_equal(world.prompt, "");
	assert_int_equal(world.flags, BORROW_WAITS);
	assert_int_equal(world.asked, 0);
	internal_getpass(&call, NULL);
	assert_null(world.prompt);
	assert_int_equal(world.asked, 1);
	world.stream = STREAM_PASS;
	internal_getpass(&call, "natively: ");
	assert_string_equal(world.prompt, "natively: ");
	assert_string_equal(world.said, "prompt: ");
	assert_int_equal(world.asked, 2);
	assert_int_equal(world.lent, 0);
}

static void words_with_commands_are_waited_for(void **state)
{
	static const struct {
		const char *words;
		bool waits;
	} rows[] = {{"", false}, {"some words", false}, {"a $b (c)", false},
		{"$", false}, {"a `command`", true}, {"a $(command)", true}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(
			internal_wordexp(&call, rows[i].words, NULL, 100),
			100 + strlen(rows[i].words));
		assert_int_equal(world.flags,
			rows[i].waits ? BORROW_WAITS : BORROW_MAY_PRINT);
	}
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_console_gets_what_libc_prints),
		TEST(the_rest_is_libcs),
		TEST(a_password_is_asked_for_where_somebody_sees_it),
		TEST(words_with_commands_are_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
