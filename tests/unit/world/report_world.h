/*
 * For tests of functions that complain on standard error: what they say where
 * it is recorded, written, both, or neither, in a child of the test.  It
 * defines functions of the library: not for more than one file of a program.
 */
#ifndef TESTS_REPORT_WORLD_H
#define TESTS_REPORT_WORLD_H

#include "shim/host/inside.h"

#include <err.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/host/sys.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/locale_state.h"
#include "shim/streams/streams.h"
#include "shim/writer/position.h"
#include "shim/writer/writer.h"
#include "tests/unit/world/cancel_world.h"
#include "tests/unit/world/switched_streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

#define STREAM 7u
#define TEXT_MOST ((size_t)1 << 16)

/* ---- what the library would be ---- */

bool locale_varies, locale_english = true;
uint8_t stdio_turn_matters;
FILE *stdio_buffer_collects;
static struct writer writer;
__thread struct writer *writer_self = &writer;
__attribute__((const)) int *(*host_errno)(void) = __errno_location;

const char *(*host_strerrordesc_np)(int) = strerrordesc_np;
void (*host_exit)(int) = exit;
size_t (*host_mbrtowc)(wchar_t *, const char *, size_t, mbstate_t *) = mbrtowc;
int (*next_fputs)(const char *, FILE *) = fputs;
int (*next_fputws)(const wchar_t *, FILE *) = fputws;
size_t (*next_fwrite)(const void *, size_t, size_t, FILE *) = fwrite;
void (*next_perror)(const char *) = perror;

enum as { NATIVE, RECORDED, TEE, IN_PARTS, NO_ROOM, PASSED, MADE };

static enum as as;
static struct call_turn turn;
static const struct call call = {.turn = &turn};

/* Of a child, for its parent. */
static struct seen {
	char said[TEXT_MOST];
	char written[TEXT_MOST];
	int status, error, mode;
} * seen, native;

static void say(const char *text)
{
	strcat(seen->said, text);
	errno = EBADF; /* whatever it was */
}

static void say_format(const char *format, va_list ap)
{
	size_t length = strlen(seen->said);
	va_list copy;

	va_copy(copy, ap);
	pass_on_vsnprintf(
		seen->said + length, TEXT_MOST - length, 0, format, copy);
	va_end(copy);
}

void control_follow(void)
{
}

unsigned streams_decide_file(const FILE *file, int fd)
{
	(void)fd;
	return file == stderr && as != PASSED ? STREAM : STREAM_PASS;
}

bool locale_ask_english(void)
{
	return locale_english;
}

/* Of all errors, where the language is another one. */
#define FOREIGN "etwas ist geschehen"

static char *name_error(int number, char *buffer, size_t size)
{
	if (locale_english)
		return strerror_r(number, buffer, size);
	return strcpy(buffer, FOREIGN);
}

char *(*host_strerror_r)(int, char *, size_t) = name_error;

/* See text.def. */
int capture_format(const struct call *at, const struct capture_text *how,
	const char *format, va_list arguments)
{
	const char *prefix = how->prefix[0].string;
	int error = errno;
	const char *colon = how->text == BINLOG_TEXT_ERROR ? "" : ": ";
	bool names = how->prefixes == 2 && (how->text != BINLOG_TEXT_ERROR ||
						   how->prefix[1].number != 0);

	(void)at;
	if (as == IN_PARTS || as == NO_ROOM)
		return CAPTURE_PASS;
	if (how->text != BINLOG_TEXT_PERROR || (prefix && *prefix)) {
		say(prefix);
		say(colon);
	}
	errno = error;
	if (format)
		say_format(format, arguments);
	if (names && format)
		say(": ");
	if (names)
		say(strerror(how->prefix[1].number));
	say("\n");
	return 0;
}

bool capture_bytes(const struct call *at, unsigned stream, unsigned text,
	const void *bytes, size_t size)
{
	(void)at;
	(void)stream;
	(void)text;
	strncat(seen->said, bytes, size);
	return true;
}

int put_string(const struct call *at, const char *s, FILE *file,
	int (*next)(const char *, FILE *))
{
	(void)at;
	(void)next;
	(void)file;
	say(s);
	return 0;
}

int print_file(const struct call *at, FILE *file, int chk, const char *format,
	va_list ap)
{
	(void)at;
	(void)file;
	(void)chk;
	say_format(format, ap);
	return 0;
}

size_t put_block(const struct call *at, const void *p, size_t size,
	size_t count, FILE *file,
	size_t (*next)(const void *, size_t, size_t, FILE *))
{
	(void)at;
	(void)p;
	(void)file;
	(void)next;
	return size * count;
}

int wide_string(const struct call *at, const wchar_t *s, FILE *file,
	int (*next)(const wchar_t *, FILE *))
{
	(void)at;
	(void)s;
	(void)file;
	(void)next;
	return 0;
}

int pass_on_vsnprintf(
	char *to, size_t size, int chk, const char *format, va_list ap)
{
	int length, error = errno;
	va_list copy;
	FILE *file = fmemopen(to, size, "w");

	(void)chk;
	errno = error; /* for "%m" */
	va_copy(copy, ap);
	length = vfprintf(file ? file : fopen("/dev/null", "w"), format, copy);
	va_end(copy);
	if (file)
		fclose(file);
	return length;
}

void pass_on_vwarn(const char *format, va_list ap)
{
	vwarn(format, ap);
}

void pass_on_vwarnx(const char *format, va_list ap)
{
	vwarnx(format, ap);
}

void position_add(unsigned stream, uint64_t bytes)
{
	(void)stream;
	(void)bytes;
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
	(void)stream;
}

void stdio_buffer_written(FILE *file, unsigned stream, bool locks)
{
	(void)file;
	(void)stream;
	(void)locks;
}

bool writer_has_room(void)
{
	return as != NO_ROOM;
}

void writer_count_passed(void)
{
}

/* ---- a program that complains, in a child ---- */

static int output_flags = O_RDWR;

static void run_child(void (*program)(void), const char *output)
{
	int fd = open(output, output_flags);

	streams[STREAM].tee = as == TEE;
	locale_english = as != MADE;
	dup2(fd, 2);
	stderr->_mode = 0;
	program();
	seen->error = errno;
	seen->mode = stderr->_mode;
	exit(0);
}

static void complains_as(enum as way, void (*program)(void))
{
	char output[] = "/tmp/binlog-test-XXXXXX";
	int fd = mkstemp(output);
	pid_t pid;

	if (!seen)
		seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(seen, 0, sizeof(*seen));
	as = way;
	pid = fork();
	if (pid == 0)
		run_child(program, output);
	assert_int_equal(waitpid(pid, &seen->status, 0), pid);
	assert_true(pread(fd, seen->written, TEXT_MOST - 1, 0) >= 0);
	close(fd);
	unlink(output);
}

/* Where an error is named, in another language: at the end of a line. */
static void put_into_foreign(char *text, const char *name)
{
	char rest[TEXT_MOST];
	size_t length = strlen(name);
	char *at = text;

	while ((at = strstr(at, name)) != NULL) {
		if (at[length] == '\n') {
			strcpy(rest, at + length);
			strcat(strcpy(at, FOREIGN), rest);
		}
		at++;
	}
}

static void says_as_libc(void (*program)(void))
{
	static const char *const nothing = "";
	char *said = native.said;

	complains_as(NATIVE, program);
	native = *seen;
	strcpy(said, native.written);
	for (enum as way = RECORDED; way <= MADE; way++) {
		complains_as(way, program);
		if (way == MADE)
			put_into_foreign(said, strerror(ENOENT));
		assert_string_equal(seen->said,
			way == NO_ROOM || way == PASSED ? nothing : said);
		if (way == TEE || way == NO_ROOM || way == PASSED)
			assert_string_equal(seen->written, native.written);
		else
			assert_string_equal(seen->written, nothing);
		assert_int_equal(seen->status, native.status);
	}
}

#endif
