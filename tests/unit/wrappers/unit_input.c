/*
 * Before a read, what libc does by itself: whether it flushes stdout, and
 * whether it asks the descriptor at all, is seen at libc's own function, which
 * is called afterwards.
 */
#include "shim/host/inside.h"

#include <pty.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <wchar.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/host/libio.h"
#include "shim/record/terminal.h"
#include "shim/streams/streams.h"
#include "tests/unit/world/switched_streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* ---- what the library would be ---- */

#define OURS 9u

bool sys_forbidden;

static unsigned flushes, asks, changes;
static unsigned what_stdout_is, what_others_are;
static bool nobody_waits;

static int *where_errno_is(void) __attribute__((const));
static int *where_errno_is(void)
{
	return __errno_location();
}

int *(*host_errno)(void)__attribute__((const)) = where_errno_is;
int (*next_fflush)(FILE *);

int state_fflush(const struct call *call, FILE *file, int (*next)(FILE *))
{
	(void)call;
	(void)next;
	assert_ptr_equal(file, stdout);
	flushes++;
	return 0;
}

unsigned streams_decide_file(const FILE *file, int fd)
{
	(void)file;
	(void)fd;
	return what_stdout_is;
}

unsigned streams_decide(int fd)
{
	(void)fd;
	return what_others_are;
}

void control_follow(void)
{
	control_seen = switches.version;
}

bool terminal_waits(void)
{
	return !nobody_waits;
}

void terminal_asked(int fd)
{
	(void)fd;
	asks++;
}

void terminal_changed(void)
{
	changes++;
}

/* ---- functions that read ---- */

static const struct call call;
static char line[64];
static wchar_t wide_line[64];
static bool may_fail; /* what reads */

static void before_getc(FILE *f)
{
	input_byte(&call, f);
}
static void do_getc(FILE *f)
{
	getc(f);
}
static void before_fgets(FILE *f)
{
	input_line(&call, f, '\n', 3);
}
static void do_fgets(FILE *f)
{
	assert_true(fgets(line, 4, f) || may_fail);
}
static void before_getline(FILE *f)
{
	input_line(&call, f, '\n', SIZE_MAX);
}
static void do_getline(FILE *f)
{
	assert_true(fgets(line, 64, f) || may_fail);
}
static void before_fread(FILE *f)
{
	input_block(&call, f, 1, 2);
}
static void do_fread(FILE *f)
{
	assert_true(fread(line, 1, 2, f) == 2 || may_fail);
}
static void before_scanf(FILE *f)
{
	input_scan(&call, f);
}
static void do_scanf(FILE *f)
{
	assert_true(fscanf(f, "%2s", line) == 1 || may_fail);
}
static void before_getwc(FILE *f)
{
	input_wide(&call, f, WEOF);
}
static void do_getwc(FILE *f)
{
	getwc(f);
}
static void before_getws(FILE *f)
{
	input_wide(&call, f, L'\n');
}
static void do_getws(FILE *f)
{
	assert_true(fgetws(wide_line, 64, f) || may_fail);
}
static void before_wscanf(FILE *f)
{
	input_wide_scan(&call, f);
}
static void do_wscanf(FILE *f)
{
	fwscanf(f, L"%2ls", wide_line);
}

static const struct way {
	const char *name;
	void (*before)(FILE *file), (*read)(FILE *file);
	bool wide;
	bool may_be_early; /* how much it reads depends on what it finds */
} ways[] = {
	{"getc", before_getc, do_getc, false, false},
	{"fgets", before_fgets, do_fgets, false, false},
	{"getline", before_getline, do_getline, false, false},
	{"fread", before_fread, do_fread, false, false},
	{"scanf", before_scanf, do_scanf, false, true},
	{"getwc", before_getwc, do_getwc, true, false},
	{"fgetws", before_getws, do_getws, true, false},
	{"wscanf", before_wscanf, do_wscanf, true, true},
};

#define WAYS (sizeof(ways) / sizeof(*ways))

/* ---- files ---- */

static int other_end;
static const char rest[] = "more of it\nand more\n";

static void type(const char *text)
{
	assert_int_equal(write(other_end, text, strlen(text)), strlen(text));
}

static int left_in(FILE *file)
{
	int bytes = -1;

	assert_int_equal(ioctl(fileno(file), FIONREAD, &bytes), 0);
	return bytes;
}

/* Of which libc has `found` in its buffer, and the kernel `rest`. */
static FILE *new_file(bool terminal, int mode, bool wide, const char *found)
{
	int ends[2];
	FILE *file;

	if (terminal)
		assert_int_equal(
			openpty(&other_end, &ends[0], NULL, NULL, NULL), 0);
	else
		assert_int_equal(pipe(ends), 0);
	if (!terminal)
		other_end = ends[1];
	file = fdopen(ends[0], "r");
	if (mode >= 0)
		setvbuf(file, NULL, mode, mode == _IONBF ? 0 : 4096);
	if (found) {
		type("x");
		type(found);
		assert_int_equal(wide ? (int)getwc(file) : getc(file), 'x');
	} else if (wide) {
		fwide(file, 1);
	}
	type(rest);
	/* A terminal takes its time. */
	while (left_in(file) < (int)strlen(rest))
		sched_yield();
	return file;
}

static void close_file(FILE *file)
{
	fclose(file);
	close(other_end);
}

/* What libc does by itself is what we do before; of a FILE that is fully
 * buffered, nobody expects an answer. */
static void compare(const struct way *way, FILE *file, const char *found)
{
	FILE *real = stdout, *ours = fdopen(memfd_create("stdout", 0), "w");
	int before = left_in(file);
	bool is_full =
		file->_IO_buf_base &&
		!(file->_flags & (LIBIO_UNBUFFERED | LIBIO_LINE_BUFFERED));
	bool flushed, asked;

	setvbuf(ours, NULL, _IOLBF, 4096);
	fputs("not flushed", ours);
	stdout = ours;
	flushes = asks = 0;
	way->before(file);
	way->read(file);
	stdout = real;
	flushed = lseek(fileno(ours), 0, SEEK_CUR) > 0;
	asked = left_in(file) != before && !is_full;
	if (way->may_be_early) {
		/* Of a word that is not whole, nobody is asked for the rest. */
		if (strspn(found, " \t\v\r\n") == strlen(found))
			assert_true(flushes >= flushed);
		assert_true(asks >= asked);
	} else {
		assert_int_equal(flushes, flushed);
		assert_int_equal(asks, asked);
	}
	fclose(ours);
}

/* ---- the tests ---- */

static int begin(void **state)
{
	(void)state;
	nobody_waits = may_fail = false;
	what_stdout_is = OURS;
	what_others_are = OURS;
	memset(streams, 0, sizeof(streams));
	streams[OURS].buffering = BINLOG_BUFFER_LINE;
	streams[OURS].terminal = true;
	return 0;
}

static void stdout_is_flushed_when_libc_does_it(void **state)
{
	static const int modes[] = {_IONBF, _IOLBF, -1};
	static const char *const found[] = {NULL, "", "a", "ab", "   ", " \t\v",
		"abcdef", "line\n", "line\nand", "\r\n"};

	(void)state;
	for (unsigned i = 0; i < WAYS; i++)
		for (unsigned m = 0; m < 3; m++)
			for (unsigned k = 0; k < sizeof(found) / sizeof(*found);
				k++) {
				FILE *file = new_file(false, modes[m],
					ways[i].wide, found[k]);

				compare(&ways[i], file,
					found[k] ? found[k] : "");
				close_file(file);
			}
}

static void a_terminal_gets_its_buffer_late(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WAYS; i++) {
		FILE *file = new_file(true, -1, ways[i].wide, NULL);

		compare(&ways[i], file, "");
		close_file(file);
	}
}

/* C99 7.19.7.1: an end that was met stays the end, whatever follows it. */
static void who_may_not_read_waits_for_nothing(void **state)
{
	static const int modes[] = {_IONBF, _IOLBF, -1};
	static const int flags[] = {LIBIO_EOF_SEEN, LIBIO_NO_READS};

	(void)state;
	may_fail = true;
	for (unsigned i = 0; i < WAYS * 2 * 3; i++) {
		const struct way *way = &ways[i / 6];
		FILE *file = new_file(
			i % 2, modes[i % 6 / 2], way->wide, i % 2 ? NULL : "");

		for (unsigned k = 0; k < 2; k++) {
			clearerr(file);
			file->_flags |= flags[k];
			compare(way, file, "");
			file->_flags &= ~flags[k];
		}
		close_file(file);
	}
}

static void what_is_pushed_back_is_read_first(void **state)
{
	(void)state;
	for (unsigned m = _IOFBF; m <= _IONBF; m++) {
		FILE *file = new_file(false, (int)m, false, "");

		ungetc('a', file);
		compare(&ways[0], file, "a");
		close_file(file);
	}
}

static void memory_is_no_descriptor(void **state)
{
	(void)state;
	what_others_are = STREAM_PASS;
	for (unsigned i = 0; i < 3 * WAYS; i++) {
		static char *text; /* which is not freed */
		static size_t size;
		FILE *file = i / WAYS == 0 ? open_memstream(&text, &size)
					   : fmemopen(line, sizeof(line), "r");

		if (i / WAYS < 2)
			setvbuf(file, NULL, _IONBF, 0);
		asks = 0;
		ways[i % WAYS].before(file);
		assert_int_equal(asks, 0);
		fclose(file);
	}
}

static void only_a_line_of_ours_is_flushed(void **state)
{
	FILE *file = new_file(false, _IOLBF, false, NULL);

	(void)state;
	flushes = 0;
	what_stdout_is = STREAM_PASS;
	input_byte(&call, file);
	input_password(&call);
	what_stdout_is = OURS;
	streams[OURS].buffering = BINLOG_BUFFER_FULL;
	input_byte(&call, file);
	assert_int_equal(flushes, 0);
	streams[OURS].buffering = BINLOG_BUFFER_LINE;
	input_password(&call);
	assert_int_equal(flushes, 1);
	close_file(file);
}

static void only_who_waits_for_an_answer_is_asked(void **state)
{
	(void)state;
	asks = 0;
	nobody_waits = true;
	input_descriptor(0);
	nobody_waits = false;
	what_others_are = STREAM_PASS;
	input_descriptor(77);
	assert_int_equal(asks, 0);
	input_descriptor(0);
	what_others_are = OURS;
	input_descriptor(77);
	assert_int_equal(asks, 2);
}

static void a_block_may_be_larger_than_memory(void **state)
{
	FILE *file = new_file(false, _IOLBF, false, "ab");

	(void)state;
	asks = 0;
	input_block(&call, file, SIZE_MAX, 2);
	assert_int_equal(asks, 1);
	close_file(file);
}

static void settings_that_were_made_are_noted(void **state)
{
	(void)state;
	changes = 0;
	assert_int_equal(input_settings(-1), -1);
	assert_int_equal(changes, 0);
	assert_int_equal(input_settings(0), 0);
	assert_int_equal(changes, 1);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stdout_is_flushed_when_libc_does_it),
		TEST(a_terminal_gets_its_buffer_late),
		TEST(who_may_not_read_waits_for_nothing),
		TEST(what_is_pushed_back_is_read_first),
		TEST(memory_is_no_descriptor),
		TEST(only_a_line_of_ours_is_flushed),
		TEST(only_who_waits_for_an_answer_is_asked),
		TEST(a_block_may_be_larger_than_memory),
		TEST(settings_that_were_made_are_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
