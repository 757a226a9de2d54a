/*
 * error(3) and error_at_line(3) beside libc's own: whether a message is
 * recorded by its arguments, as a made text or in parts, or written, it is the
 * same bytes, it is counted, and who asks for one of each line gets that.
 */
#include "shim/host/inside.h"

#include <error.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <wchar.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/streams/streams.h"
#include "tests/unit/world/cancel_world.h"
#include "tests/unit/world/switched_streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"
#include "wrappers/notice.h"

/* ---- what the library would be ---- */

bool sys_forbidden;
int (*next_fputws)(const wchar_t *, FILE *) = fputws;
size_t (*next_fwrite)(const void *, size_t, size_t, FILE *) = fwrite;
int (*next_fputs)(const char *, FILE *) = fputs;
int (*next_fflush)(FILE *) = fflush;
void (*next_error)(int, int, const char *, ...) = error;
void (*next_error_at_line)(
	int, int, const char *, unsigned, const char *, ...) = error_at_line;
void (*host_flockfile)(FILE *) = flockfile;
void (*host_funlockfile)(FILE *) = funlockfile;
size_t (*host_mbrtowc)(wchar_t *, const char *, size_t, mbstate_t *) = mbrtowc;

__attribute__((const)) static int *where_errno_is(void)
{
	return __errno_location();
}

__attribute__((const)) int *(*host_errno)(void) = where_errno_is;

static struct {
	unsigned stream; /* what stderr is */
	bool typed;
	enum notice_outcome outcome;
	char said[16384]; /* recorded */
	unsigned records, settled;
	int exited; /* with that status, or -1 */
} world;

static sigjmp_buf end_of_process;

static void leave(int status)
{
	world.exited = status;
	siglongjmp(end_of_process, 1);
}

void (*host_exit)(int) = leave;

void control_follow(void)
{
}

unsigned streams_decide_file(const FILE *file, int fd)
{
	(void)file;
	(void)fd;
	return world.stream;
}

static void add(const char *s)
{
	assert_true(strlen(world.said) + strlen(s) < sizeof(world.said));
	strcat(world.said, s);
}

static void add_format(const char *format, va_list ap)
{
	static char text[8192];
	va_list again;

	va_copy(again, ap);
	vsnprintf(text, sizeof(text), format, again);
	va_end(again);
	add(text);
}

bool notice_is_typed(const int *error_number)
{
	assert_true(!error_number || *error_number != 0);
	return world.typed;
}

/* As the reader shows it. */
enum notice_outcome notice_record(const struct call *call,
	struct capture_text *how, const char *format, va_list ap)
{
	(void)call;
	assert_int_equal(how->text, BINLOG_TEXT_ERROR);
	assert_int_equal(how->prefixes, 2);
	if (world.outcome == NOTICE_RECORDED) {
		world.records++;
		add(how->prefix[0].string);
		add_format(format, ap);
		if (how->prefix[1].number) {
			add(": ");
			add(strerror(how->prefix[1].number));
		}
		add("\n");
	}
	errno = EIO;
	return world.outcome;
}

enum notice_outcome notice_record_formatted(const struct call *call,
	const struct formatted *formatted, bool orients)
{
	(void)call;
	assert_true(orients);
	if (world.outcome == NOTICE_RECORDED) {
		world.records++;
		add(formatted->text);
	}
	return world.outcome;
}

void notice_make_error(struct formatted *formatted, int number)
{
	formatted_put(formatted, strerror(number));
}

void notice_put(const struct call *call, const char *s)
{
	(void)call;
	world.records++;
	add(s);
	errno = EIO;
}

void notice_put_error(const struct call *call, int number)
{
	notice_put(call, strerror(number));
}

void notice_settle(void)
{
	world.settled++;
}

int print_file(const struct call *call, FILE *file, int chk, const char *format,
	va_list ap)
{
	(void)call;
	(void)chk;
	assert_ptr_equal(file, stderr);
	add_format(format, ap);
	return 1;
}

int state_fflush(const struct call *call, FILE *file, int (*next)(FILE *))
{
	(void)call;
	return next(file);
}

int pass_on_vfprintf(FILE *file, int chk, const char *format, va_list ap)
{
	va_list again;
	int result;

	(void)chk;
	va_copy(again, ap);
	result = vfprintf(file, format, again);
	va_end(again);
	return result;
}

int pass_on_vsnprintf(
	char *to, size_t size, int chk, const char *format, va_list ap)
{
	va_list again;
	int length;

	(void)chk;
	va_copy(again, ap);
	length = vsnprintf(to, size, format, again);
	va_end(again);
	return length;
}

size_t put_block(const struct call *call, const void *p, size_t size, size_t n,
	FILE *file, size_t (*next)(const void *, size_t, size_t, FILE *))
{
	(void)call;
	return next(p, size, n, file);
}

int wide_string(const struct call *call, const wchar_t *text, FILE *file,
	int (*next)(const wchar_t *, FILE *))
{
	(void)call;
	return next(text, file);
}

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.stream = 9;
	world.typed = true;
	world.exited = -1;
	error_one_per_line = 0;
	error_print_progname = NULL;
	return 0;
}

/* ---- both ---- */

struct arguments {
	int status, number;
	bool at_line;
	const char *name;
	unsigned line;
};

static int kept_stderr, captured;

static void capture_stderr(void)
{
	captured = memfd_create("stderr", 0);
	kept_stderr = dup(2);
	assert_true(captured >= 0 && kept_stderr >= 0);
	dup2(captured, 2);
	errno = ENOENT;
}

static size_t captured_stderr(char *to, size_t room)
{
	ssize_t n;

	dup2(kept_stderr, 2);
	n = pread(captured, to, room - 1, 0);
	close(kept_stderr);
	close(captured);
	assert_true(n >= 0);
	to[n] = '\0';
	return (size_t)n;
}

/* Twice, as a list is used up. */
static void natively(const struct arguments *a, const char *format, va_list ap)
{
	static char text[8192];

	vsnprintf(text, sizeof(text), format, ap);
	if (a->at_line)
		error_at_line(0, a->number, a->name, a->line, "%s", text);
	else
		error(0, a->number, "%s", text);
}

static void ours(const struct arguments *a, const char *format, va_list ap)
{
	static const struct call call = {.sp = 1000};

	if (a->at_line)
		complaint_error_at_line(&call, a->status, a->number, a->name,
			a->line, format, ap);
	else
		complaint_error(&call, a->status, a->number, format, ap);
}

/* What libc says is said, here or there; true if it is anything. */
static bool complains(const struct arguments *a, const char *format, ...)
{
	static char wanted[16384], written[16384];
	unsigned count = error_message_count;
	va_list ap;

	capture_stderr();
	va_start(ap, format);
	natively(a, format ? format : "", ap);
	va_end(ap);
	captured_stderr(wanted, sizeof(wanted));
	count = error_message_count - count;
	world.said[0] = '\0';
	world.records = 0;
	error_message_count = 0;
	capture_stderr();
	va_start(ap, format);
	if (sigsetjmp(end_of_process, 0) == 0)
		ours(a, format, ap);
	va_end(ap);
	captured_stderr(written, sizeof(written));
	assert_int_equal(error_message_count, count);
	/* What the program prints itself comes first, and natively. */
	strcat(written, world.said);
	assert_string_equal(written, wanted);
	return count > 0;
}

/* ---- the tests ---- */

static const struct arguments various[] = {
	{0, 0, false, NULL, 0},
	{0, ENOENT, false, NULL, 0},
	{0, 0, true, "file.c", 12},
	{0, EPERM, true, "file.c", 0},
	{0, 0, true, NULL, 12},
	{0, 9999, true, "", 1},
};

#define VARIOUS (sizeof(various) / sizeof(*various))

static void print_name(void)
{
	fputs("a name, ", stderr);
}

static void check_all(unsigned wanted_records)
{
	for (size_t i = 0; i < VARIOUS * 2; i++) {
		error_print_progname = i < VARIOUS ? NULL : print_name;
		assert_true(complains(
			&various[i % VARIOUS], "%d %s %m", 7, "text"));
		assert_int_equal(world.records > 0, wanted_records);
	}
}

static void each_is_as_libc_says_it(void **state)
{
	(void)state;
	check_all(1);
	world.typed = false;
	check_all(1);
	world.outcome = NOTICE_IN_PARTS;
	check_all(1);
	world.outcome = NOTICE_NATIVE;
	check_all(0);
	assert_int_equal(world.settled, VARIOUS * 2);
	world.stream = STREAM_PASS;
	check_all(0);
}

static void without_a_format_it_is_empty(void **state)
{
	(void)state;
	assert_true(complains(&various[1], NULL));
	assert_int_equal(world.records, 1);
}

static void say(const struct arguments *a, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	ours(a, format, ap);
	va_end(ap);
}

/* error(3) would get it as a string, which ends there. */
static void texts_with_zeros_are_written_in_parts(void **state)
{
	char wanted[256], written[256];
	size_t length;

	(void)state;
	world.stream = STREAM_PASS;
	world.outcome = NOTICE_NATIVE;
	assert_true(complains(&various[0], "%c|", '0'));
	assert_int_equal(world.settled, 0);
	capture_stderr();
	error(0, ENOENT, "%c|", 0);
	length = captured_stderr(wanted, sizeof(wanted));
	capture_stderr();
	say(&various[1], "%c|", 0);
	assert_int_equal(captured_stderr(written, sizeof(written)), length);
	assert_memory_equal(written, wanted, length);
	assert_int_equal(world.settled, 1);
}

static void without_memory_it_is_written_in_parts(void **state)
{
	static char text[6000];
	struct rlimit limit, none = {0};

	(void)state;
	memset(text, 't', sizeof(text) - 1);
	world.stream = STREAM_PASS;
	world.outcome = NOTICE_NATIVE;
	getrlimit(RLIMIT_AS, &limit);
	none.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_AS, &none);
	complains(&various[1], "%s", text);
	setrlimit(RLIMIT_AS, &limit);
	assert_int_equal(world.settled, 1);
}

static void a_status_ends_the_process(void **state)
{
	static const struct arguments ends = {3, 0, false, NULL, 0};

	(void)state;
	assert_true(complains(&ends, "text"));
	assert_int_equal(world.exited, 3);
	world.exited = -1;
	complains(&various[0], "text");
	assert_int_equal(world.exited, -1);
}

static void of_one_line_there_is_one_if_that_is_wanted(void **state)
{
	static char same[] = "one.c", alike[] = "one.c";
	static const struct {
		const char *name;
		unsigned line;
	} rows[] = {{same, 1}, {same, 1}, {alike, 1}, {"one.cc", 1}, {same, 1},
		{same, 2}, {"two.c", 2}, {"two.c", 2}, {NULL, 2}, {NULL, 2},
		{same, 2}, {NULL, 3}, {NULL, 3}, {"", 3}, {"", 3}, {"o", 3},
		{same, 3}};
	unsigned said = 0;

	(void)state;
	for (int wish = 1; wish >= 0; wish--) {
		error_one_per_line = wish;
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			struct arguments a = {
				0, 0, true, rows[i].name, rows[i].line};

			said += complains(&a, "text %zu", i);
		}
		assert_true(wish ? said < 15 : said > 17);
	}
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_is_as_libc_says_it),
		TEST(without_a_format_it_is_empty),
		TEST(texts_with_zeros_are_written_in_parts),
		TEST(without_memory_it_is_written_in_parts),
		TEST(a_status_ends_the_process),
		TEST(of_one_line_there_is_one_if_that_is_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
