/*
 * For tests of wide output: the library around wrappers/wide.c, with a capture
 * that takes what it gets, or not, and two FILEs that are given the same, one
 * by libc and one by the library.  It defines functions of the library: not for
 * more than one file of a program.
 */
#ifndef TESTS_WIDE_WORLD_H
#define TESTS_WIDE_WORLD_H

#include "shim/host/inside.h"

#include <langinfo.h>
#include <locale.h>
#include <sys/mman.h>
#include <wchar.h>

#include <setjmp.h>
#include <cmocka.h>

#include "record/libc.h"
#include "shim/host/arena.h"
#include "shim/host/environment.h"
#include "shim/host/host.h"
#include "shim/host/pass_on.h"
#include "shim/stdio/stdio_buffer.h"
#include "shim/streams/locale_state.h"
#include "shim/streams/streams.h"
#include "shim/writer/plan.h"
#include "tests/unit/world/cancel_world.h"
#include "tests/unit/world/switched_streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* ---- what the library would be ---- */

#define OURS 9u
#define ARENA_BYTES ((size_t)8 << 20)

bool sys_forbidden, plan_always_at_once;
uint8_t stdio_turn_matters;
uint32_t host_libc_version = LIBC_VERSION(__GLIBC__, __GLIBC_MINOR__);
uint32_t drops_generation;
uint32_t streams_version[ENTRY_COUNT];
const FILE *streams_collecting;
FILE *stdio_buffer_collects;
int (*host_fwide)(FILE *, int) = fwide;
wint_t (*next_putwc)(wchar_t, FILE *) = putwc;
wint_t (*next_putwc_unlocked)(wchar_t, FILE *) = putwc_unlocked;
int (*next_putc)(int, FILE *) = putc;
int (*next_putc_unlocked)(int, FILE *) = putc_unlocked;

static struct {
	char said[1 << 20];
	size_t bytes;
	unsigned typed, plain, passed; /* records, and calls without one */
	unsigned losses;	       /* calls that others come between */
	bool capture_fails, arena_fails, print_fails;
	const char *language;
} world;

static _Alignas(64) char arena[ARENA_BYTES];
static size_t arena_used;

void *arena_take(size_t size)
{
	void *taken = arena + arena_used;

	if (world.arena_fails)
		return NULL;
	arena_used += (size + 63) & ~(size_t)63;
	assert_true(arena_used <= ARENA_BYTES);
	return taken;
}

static char *ask_locale(nl_item item)
{
	return nl_langinfo(item);
}

char *(*host_nl_langinfo)(nl_item) = ask_locale;

__attribute__((const)) static int *where_errno_is(void)
{
	return __errno_location();
}

__attribute__((const)) int *(*host_errno)(void) = where_errno_is;

const char *environment_get(const char *name)
{
	return strcmp(name, "LANGUAGE") == 0 ? world.language : NULL;
}

void control_follow(void)
{
}

void writer_count_passed(void)
{
	world.passed++;
}

unsigned streams_decide_file(const FILE *to, int fd)
{
	(void)to;
	(void)fd;
	return OURS;
}

void stdio_buffer_catch_up_slow(const struct call *call)
{
	(void)call;
}

void stdio_buffer_prepare_slow(
	const struct call *call, FILE *to, unsigned stream)
{
	(void)call;
	(void)to;
	(void)stream;
}

/* False: another thread has come between, or there is no room. */
static bool is_taken(const struct call *call)
{
	call->turn->lost = world.losses > 0;
	if (call->turn->lost)
		world.losses--;
	return !call->turn->lost && !world.capture_fails;
}

bool capture_bytes(const struct call *call, unsigned stream, unsigned text,
	const void *bytes, size_t size)
{
	assert_int_equal(stream, OURS);
	assert_int_equal(text, BINLOG_TEXT_BYTES);
	assert_true(size < sizeof(world.said) - world.bytes);
	if (!is_taken(call))
		return false;
	memcpy(world.said + world.bytes, bytes, size);
	world.bytes += size;
	world.plain++;
	return true;
}

int capture_format(const struct call *call, const struct capture_text *how,
	const char *format, va_list arguments)
{
	size_t room = sizeof(world.said) - world.bytes;
	va_list again;
	int length;

	assert_int_equal(how->stream, OURS);
	if (!is_taken(call))
		return CAPTURE_PASS;
	va_copy(again, arguments);
	length = world.print_fails ? -1
				   : vsnprintf(world.said + world.bytes, room,
					     format, again);
	va_end(again);
	assert_true(length < (int)room);
	world.bytes += length > 0 ? (size_t)length : 0;
	world.typed++;
	return length;
}

int put_character(
	const struct call *call, int c, FILE *to, int (*next)(int, FILE *))
{
	(void)call;
	return next(c, to);
}

int pass_on_vfwprintf(FILE *to, int chk, const wchar_t *format, va_list ap)
{
	va_list again;
	int result;

	(void)chk;
	va_copy(again, ap);
	result = vfwprintf(to, format, again);
	va_end(again);
	return result;
}

int pass_on_vswprintf(
	wchar_t *to, size_t size, int chk, const wchar_t *format, va_list ap)
{
	va_list again;
	int result = -1;

	(void)chk;
	if (world.print_fails) {
		errno = ENOMEM;
		return result;
	}
	va_copy(again, ap);
	result = vswprintf(to, size, format, again);
	va_end(again);
	return result;
}

/* ---- two FILEs, and calls on both ---- */

static struct call_turn turn;
static const struct call call = {.sp = 1000, .turn = &turn};
static FILE *file, *native;
static size_t written, native_written; /* of them, and looked at */

static FILE *new_file(void)
{
	FILE *made = fdopen(memfd_create("output", 0), "w+");

	assert_non_null(made);
	assert_true(fwide(made, 1) > 0);
	return made;
}

static void begin_in(const char *locale)
{
	assert_non_null(setlocale(LC_ALL, locale));
	locale_changed();
	file = new_file();
	native = new_file();
	written = native_written = 0;
}

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	memset(&turn, 0, sizeof(turn));
	plan_always_at_once = false;
	streams[OURS].tee = false;
	begin_in("C.UTF-8");
	return 0;
}

static int end(void **state)
{
	(void)state;
	fclose(file);
	fclose(native);
	return 0;
}

static size_t new_bytes(FILE *of, size_t *seen, char *to, size_t room)
{
	ssize_t n;

	fflush(of);
	n = pread(fileno(of), to, room, (off_t)*seen);
	assert_true(n >= 0 && (size_t)n < room);
	*seen += (size_t)n;
	return (size_t)n;
}

/*
 * What was recorded, and what was written instead, is what libc has written.
 * 't': recorded with types, 'b': as bytes, 'n': made natively.
 */
static char outcome(void)
{
	static char wanted[sizeof(world.said)];
	size_t length =
		new_bytes(native, &native_written, wanted, sizeof(wanted));
	char how = world.typed ? 't' : world.plain ? 'b' : 'n';

	assert_int_equal(world.typed + world.plain + world.passed, 1);
	world.bytes += new_bytes(file, &written, world.said + world.bytes,
		sizeof(world.said) - world.bytes);
	assert_int_equal(world.bytes, length);
	assert_memory_equal(world.said, wanted, length);
	world.bytes = world.typed = world.plain = world.passed = 0;
	return how;
}

static char prints(const wchar_t *format, ...)
{
	va_list ap;
	int result, wanted, error;

	va_start(ap, format);
	errno = ENOENT;
	result = wide_print(&call, file, 0, format, ap);
	error = errno;
	va_end(ap);
	va_start(ap, format);
	errno = ENOENT;
	wanted = vfwprintf(native, format, ap);
	assert_int_equal(result, wanted);
	if (wanted < 0)
		assert_int_equal(error, errno);
	va_end(ap);
	clearerr(file);
	clearerr(native);
	return outcome();
}

static char puts_wide(const wchar_t *s)
{
	int result = wide_string(&call, s, file, fputws);

	assert_int_equal(result < 0, fputws(s, native) < 0);
	clearerr(file);
	clearerr(native);
	return outcome();
}

static const wchar_t *many(wchar_t c, size_t count)
{
	static wchar_t text[70000];

	assert_true(count < 70000);
	wmemset(text, c, count);
	text[count] = 0;
	return text;
}

#endif
