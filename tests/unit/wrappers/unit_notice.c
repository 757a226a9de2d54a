/*
 * Messages on standard error that may end in the name of an error: the position
 * behind one that is recorded is that behind what libc writes, and each is
 * recorded, made natively or printed in parts, but never twice.
 */
#include "shim/host/inside.h"

#include <err.h>
#include <error.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/host/host.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/locale_state.h"
#include "shim/streams/streams.h"
#include "shim/writer/position.h"
#include "shim/writer/writer.h"
#include "tests/unit/world/cancel_world.h"
#include "tests/unit/world/switched_streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"
#include "wrappers/notice.h"

#define STREAM 7u
#define BEFORE 4711 /* errno of the program */

/* ---- what the library would be ---- */

bool locale_varies, locale_english;
uint8_t stdio_turn_matters;
FILE *stdio_buffer_collects;
__thread struct writer *writer_self;
__attribute__((const)) int *(*host_errno)(void) = __errno_location;
const char *(*host_strerrordesc_np)(int) = strerrordesc_np;
int (*next_fputs)(const char *, FILE *) = fputs;

static struct {
	struct writer writer;
	struct call_turn turn;
	unsigned stream; /* what standard error is */
	unsigned attempts, lost, passed, prepared, settled;
	bool fails, no_room;
	int length; /* of the formatted text */
	size_t added;
	char said[4096];
} world;

static const struct call call = {.turn = &world.turn};

void control_follow(void)
{
}

unsigned streams_decide_file(const FILE *file, int fd)
{
	assert_ptr_equal(file, stderr);
	assert_int_equal(fd, 2);
	return world.stream;
}

bool locale_ask_english(void)
{
	return locale_english;
}

static char *translate(int number, char *buffer, size_t size)
{
	const char *text = strerrordesc_np(number);

	errno = EINVAL; /* not the program's */

	if (number == EINTR) /* has the same name in both */
		return strcpy(buffer, text);
	if (number == ENOENT)
		return strcat(strcpy(buffer, text), "!");
	assert_true(text || size > 100);
	return strcat(strcpy(buffer, "Fehler "), text ? "bekannt" : "?");
}

char *(*host_strerror_r)(int, char *, size_t) = translate;

/* False: it did not come to its end, or there is no room. */
static bool capture(void)
{
	world.turn.lost = world.attempts++ < world.lost;
	return !world.turn.lost && !world.fails;
}

int capture_format(const struct call *at, const struct capture_text *how,
	const char *format, va_list arguments)
{
	(void)format;
	(void)arguments;
	assert_ptr_equal(at, &call);
	assert_int_equal(how->stream, STREAM);
	return capture() ? world.length : CAPTURE_PASS;
}

bool capture_bytes(const struct call *at, unsigned stream, unsigned text,
	const void *bytes, size_t size)
{
	assert_string_equal(at->format, "format");
	assert_int_equal(stream, STREAM);
	assert_int_equal(text, BINLOG_TEXT_BYTES);
	if (capture())
		strncat(world.said, bytes, size);
	return *world.said != 0;
}

void formatted_put(struct formatted *formatted, const char *s)
{
	formatted->text = strcpy(formatted->small, s);
}

void formatted_say(
	const struct call *at, FILE *file, const char *text, size_t length)
{
	assert_string_equal(at->format, "format");
	assert_ptr_equal(file, stderr);
	strncat(world.said, text, length);
}

int put_string(const struct call *at, const char *s, FILE *file,
	int (*next)(const char *, FILE *))
{
	assert_ptr_equal(at, &call);
	assert_ptr_equal(file, stderr);
	assert_ptr_equal(next, fputs);
	strcat(world.said, s);
	return 0;
}

void position_add(unsigned stream, uint64_t bytes)
{
	assert_int_equal(stream, STREAM);
	world.added += bytes;
}

void stdio_buffer_catch_up_slow(const struct call *at)
{
	(void)at;
}

void stdio_buffer_prepare_slow(
	const struct call *at, FILE *file, unsigned stream)
{
	(void)at;
	(void)file;
	assert_int_equal(stream, STREAM);
	world.prepared++;
}

void stdio_buffer_written(FILE *file, unsigned stream, bool locks)
{
	assert_ptr_equal(file, stderr);
	assert_int_equal(stream, STREAM);
	assert_false(locks);
	world.settled++;
}

bool writer_has_room(void)
{
	return !world.no_room;
}

void writer_count_passed(void)
{
	world.passed++;
}

/* ---- the tests ---- */

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	memset(&streams[STREAM], 0, sizeof(streams[STREAM]));
	world.stream = STREAM;
	writer_self = &world.writer;
	locale_varies = false;
	locale_english = true;
	stderr->_mode = -1;
	errno = BEFORE;
	return 0;
}

/* How many bytes libc writes, which the calls behind `what` name. */
static size_t bytes_of(void (*what)(void))
{
	int fd = memfd_create("stderr", 0);
	struct stat st;
	pid_t pid = fork();

	if (pid == 0) {
		dup2(fd, 2);
		what();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	return (size_t)st.st_size;
}

#define FORMAT "a format: %d"
#define FORMATTED "a format: 5"

static const char *prefix_of_it;
static bool has_format;
static int number_of_it;

static void calls_perror(void)
{
	errno = number_of_it;
	perror(prefix_of_it);
}

static void calls_warn(void)
{
	errno = number_of_it;
	if (has_format)
		warn(FORMAT, 5);
	else
		warn(NULL);
}

static void calls_warnx(void)
{
	if (has_format)
		warnx(FORMAT, 5);
	else
		warnx(NULL);
}

static void calls_error(void)
{
	error(0, number_of_it, FORMAT, 5);
}

static enum notice_outcome notice(
	struct capture_text *how, const char *format, ...)
{
	enum notice_outcome outcome;
	va_list arguments;

	va_start(arguments, format);
	outcome = notice_record(&call, how, format, arguments);
	va_end(arguments);
	return outcome;
}

static void position_is_behind(unsigned text, void (*what)(void))
{
	const struct capture_prefix prefix[] = {
		NOTICE_STRING(prefix_of_it), NOTICE_NUMBER(number_of_it)};
	struct capture_text how = {.text = text,
		.prefixes = text == BINLOG_TEXT_WARNX ? 1 : 2,
		.prefix = prefix};

	begin(NULL);
	world.length = has_format ? (int)strlen(FORMATTED) : 0;
	assert_int_equal(
		notice(&how, has_format ? FORMAT : NULL, 5), NOTICE_RECORDED);
	/* capture_format() counts one byte for each prefix. */
	assert_int_equal(world.added + (size_t)world.length + how.prefixes,
		bytes_of(what));
}

static void the_position_is_where_libc_has_it(void **state)
{
	static const int numbers[] = {0, EPERM, EINTR, 4711, -5, INT_MIN};
	char origin[300];

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		number_of_it = numbers[i];
		has_format = false;
		prefix_of_it = NULL;
		position_is_behind(BINLOG_TEXT_PERROR, calls_perror);
		prefix_of_it = "";
		position_is_behind(BINLOG_TEXT_PERROR, calls_perror);
		prefix_of_it = "prefix";
		position_is_behind(BINLOG_TEXT_PERROR, calls_perror);
		prefix_of_it = program_invocation_short_name;
		position_is_behind(BINLOG_TEXT_WARN, calls_warn);
		position_is_behind(BINLOG_TEXT_WARNX, calls_warnx);
		has_format = true;
		position_is_behind(BINLOG_TEXT_WARN, calls_warn);
		position_is_behind(BINLOG_TEXT_WARNX, calls_warnx);
		strcat(strcpy(origin, program_invocation_name), ": ");
		prefix_of_it = origin;
		position_is_behind(BINLOG_TEXT_ERROR, calls_error);
	}
}

static void so_it_is_if_the_program_has_no_name(void **state)
{
	char *name = program_invocation_short_name, none[] = "";

	(void)state;
	number_of_it = EPERM;
	has_format = false;
	prefix_of_it = program_invocation_short_name = none;
	position_is_behind(BINLOG_TEXT_WARN, calls_warn);
	position_is_behind(BINLOG_TEXT_WARNX, calls_warnx);
	program_invocation_short_name = name;
}

static struct capture_text some(void)
{
	static const struct capture_prefix prefix[] = {
		NOTICE_STRING("prefix"), NOTICE_NUMBER(0)};
	struct capture_text how = {
		.text = BINLOG_TEXT_PERROR, .prefixes = 2, .prefix = prefix};

	return how;
}

static void one_is_recorded_or_made_natively_or_in_parts(void **state)
{
	struct capture_text how = some();

	world.lost = 2; /* others came between */
	assert_int_equal(notice_record_plain(&call, &how), NOTICE_RECORDED);
	assert_int_equal(world.attempts, 3);
	streams[STREAM].tee = true;
	assert_int_equal(notice_record_plain(&call, &how), NOTICE_NATIVE);
	assert_int_equal(world.passed, 0);
	begin(state);
	world.stream = STREAM_PASS;
	assert_int_equal(notice_record_plain(&call, &how), NOTICE_NATIVE);
	assert_int_equal(world.attempts, 0);
	begin(state);
	world.fails = true; /* it is too long */
	assert_int_equal(notice_record_plain(&call, &how), NOTICE_IN_PARTS);
	assert_int_equal(world.passed, 0);
	world.no_room = true;
	assert_int_equal(notice_record_plain(&call, &how), NOTICE_NATIVE);
	assert_int_equal(world.passed, 1);
	world.no_room = false;
	world.writer.excused = true; /* a rule has said so */
	assert_int_equal(notice_record_plain(&call, &how), NOTICE_NATIVE);
	assert_int_equal(world.added, 0);
}

static struct formatted *some_formatted(void)
{
	static struct formatted formatted;

	formatted = (struct formatted){.length = 5, .format = "format"};
	formatted.text = strcpy(formatted.small, "made\n");
	return &formatted;
}

static void so_is_one_that_has_been_made(void **state)
{
	struct formatted *formatted = some_formatted();

	world.lost = 2;
	assert_int_equal(notice_record_formatted(&call, formatted, true),
		NOTICE_RECORDED);
	assert_string_equal(world.said, "made\n");
	assert_int_equal(world.attempts, 3);
	streams[STREAM].tee = true;
	assert_int_equal(
		notice_record_formatted(&call, formatted, true), NOTICE_NATIVE);
	assert_int_equal(world.passed, 0);
	begin(state);
	world.fails = true;
	assert_int_equal(
		notice_record_formatted(&call, formatted, true), NOTICE_NATIVE);
	assert_int_equal(world.passed, 1);
	begin(state);
	world.stream = STREAM_PASS;
	assert_int_equal(
		notice_record_formatted(&call, formatted, true), NOTICE_NATIVE);
	assert_int_equal(world.attempts, 0);
	assert_string_equal(world.said, "");
}

static void one_that_could_not_be_made_is_printed_in_parts(void **state)
{
	struct formatted *formatted = some_formatted();

	(void)state;
	formatted->failed = true;
	assert_int_equal(notice_record_formatted(&call, formatted, true),
		NOTICE_IN_PARTS);
	stderr->_mode = 1;
	assert_int_equal(
		notice_record_formatted(&call, formatted, true), NOTICE_NATIVE);
	formatted->failed =
		false; /* a wide one gets it in its own character set */
	assert_int_equal(notice_record_formatted(&call, formatted, true),
		NOTICE_RECORDED);
	assert_string_equal(world.said, "made\n");
	assert_int_equal(world.attempts, 0);
}

/* perror(3) leaves it alone: see report.c. */
static void others_make_it_a_stream_of_bytes(void **state)
{
	struct capture_text how = some();

	(void)state;
	stderr->_mode = 0;
	notice_record_plain(&call, &how);
	notice_record_formatted(&call, some_formatted(), false);
	assert_int_equal(stderr->_mode, 0);
	how.text = BINLOG_TEXT_ERROR;
	notice_record_plain(&call, &how);
	assert_int_equal(stderr->_mode, -1);
	stderr->_mode = 0;
	notice_record_formatted(&call, some_formatted(), true);
	assert_int_equal(stderr->_mode, -1);
}

static void the_reader_knows_the_names_of_english_errors(void **state)
{
	static const int known = EPERM, same = EINTR, unknown = 4711;
	static const int longer = ENOENT;

	(void)state;
	assert_true(notice_is_typed(&unknown));
	locale_english = false;
	assert_false(notice_is_typed(&known));
	assert_false(notice_is_typed(&unknown));
	assert_false(notice_is_typed(&longer));
	assert_true(notice_is_typed(&same));
	assert_true(notice_is_typed(NULL));
	stderr->_mode = 1;
	assert_false(notice_is_typed(NULL));
	world.stream = STREAM_PASS;
	assert_true(notice_is_typed(&known));
	assert_int_equal(errno, BEFORE);
}

static void others_are_named_as_the_program_has_them(void **state)
{
	struct formatted formatted = {0};

	(void)state;
	notice_make_error(&formatted, EPERM);
	assert_string_equal(formatted.text, strerror(EPERM));
	notice_make_error(&formatted, INT_MIN);
	assert_string_equal(formatted.text, strerror(INT_MIN));
	locale_varies = true;
	locale_english = false;
	notice_make_error(&formatted, EPERM);
	assert_string_equal(formatted.text, "Fehler bekannt");
	notice_put(&call, "part ");
	notice_put_error(&call, 4711);
	assert_string_equal(world.said, "part Fehler ?");
}

static void after_a_native_call_its_buffer_is_known(void **state)
{
	(void)state;
	notice_settle();
	assert_int_equal(world.settled, 1);
	world.stream = STREAM_PASS;
	notice_settle();
	assert_int_equal(world.settled, 1);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_position_is_where_libc_has_it),
		TEST(so_it_is_if_the_program_has_no_name),
		TEST(one_is_recorded_or_made_natively_or_in_parts),
		TEST(so_is_one_that_has_been_made),
		TEST(one_that_could_not_be_made_is_printed_in_parts),
		TEST(others_make_it_a_stream_of_bytes),
		TEST(the_reader_knows_the_names_of_english_errors),
		TEST(others_are_named_as_the_program_has_them),
		TEST(after_a_native_call_its_buffer_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
