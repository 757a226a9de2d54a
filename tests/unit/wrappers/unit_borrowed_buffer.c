/*
 * What libc prints to a FILE by itself, while that has a buffer of ours, is
 * said once; and the FILE is afterwards what it was before, byte for byte.
 */
#include "tests/unit/world/stdio_world.h"

#include "tests/unit/world/cancel_world.h"

#include <sys/resource.h>
#include <wchar.h>

#include "wrappers/borrowed_buffer.h"
#include "wrappers/formatted.h"
#include "wrappers/next.h"

#define AT_A_TIME 4 /* borrowed */

const void *host_file_jumps;
size_t (*next_fwrite)(const void *, size_t, size_t, FILE *) = fwrite;
static void (*handler)(int, void *);
static unsigned handlers, made_said;

static int note_handler(void (*function)(int, void *), void *argument)
{
	(void)argument;
	handler = function;
	handlers++;
	return 0;
}

int (*host_on_exit)(void (*)(int, void *), void *) = note_handler;

size_t sys_fair_share(size_t wish, size_t least)
{
	(void)least;
	return wish;
}

void formatted_say(
	const struct call *c, FILE *to, const char *text, size_t length)
{
	(void)c;
	(void)to;
	memcpy(recorded + recorded_bytes, text, length);
	recorded_bytes += length;
	made_said++;
}

/* ---- FILEs that are lent to ---- */

static FILE before;

static struct borrowed_buffer lend(unsigned flags)
{
	drain();
	before = *file;
	return borrow_buffer(&call, file, flags);
}

static void take_back(const struct borrowed_buffer *buffer)
{
	borrow_give_back(&call, buffer);
	assert_memory_equal(&before, file, sizeof(before));
	assert_int_equal(locked, unlocked);
}

static void what_libc_prints_is_said(void **state)
{
	struct borrowed_buffer buffer;

	(void)state;
	put("one ");
	for (int i = 0; i < 3; i++) {
		buffer = lend(i == 2 ? BORROW_WAITS : i);
		assert_ptr_equal(buffer.file, file);
		put("two\n");
		put_much('x');
		assert_int_equal(locked - unlocked, i < 2);
		take_back(&buffer);
	}
	assert_int_equal(recorded_bytes, 4 + 3 * 1004);
	borrow_give_back(&call, &buffer);
	assert_int_equal(recorded_bytes, 4 + 3 * 1004);
	written_is("");
	put("it works");
	written_is("it works");
}

static void lines_are_not_written_one_by_one(void **state)
{
	struct borrowed_buffer buffer;

	(void)state;
	setvbuf(file, NULL, _IOLBF, 4096);
	buffer = lend(0);
	fputs("one\ntwo\n", file);
	take_back(&buffer);
	recorded_is("one\ntwo\n");
	written_is("");
}

static void what_is_wide_is_so_again(void **state)
{
	struct borrowed_buffer buffer;

	(void)state;
	setvbuf(file, NULL, _IOFBF, 4096);
	host_file_jumps = *(const void *const *)(file + 1);
	file = freopen("/dev/null", "w", file);
	assert_true(fwide(file, 1) > 0);
	streams[OURS].tee = true;
	buffer = lend(BORROW_CALLS_BACK);
	assert_ptr_equal(buffer.file, file);
	fputs("bytes", file);
	made_said = 0;
	take_back(&buffer);
	assert_int_equal(made_said, 1); /* which makes them wide */
	recorded_is("bytes");
	assert_true(fputws(L"wide", file) >= 0);
	assert_int_equal(fflush(file), 0);
	host_file_jumps = NULL;
	assert_null(lend(0).file);
}

static void some_get_no_loan(void **state)
{
	struct borrowed_buffer borrowed[AT_A_TIME];
	FILE *files[AT_A_TIME], *own = file;

	(void)state;
	assert_null(borrow_buffer(&call, NULL, 0).file);
	what_it_is = STREAM_PASS;
	assert_null(lend(0).file);
	what_it_is = OURS;
	streams[OURS].tee = true;
	assert_null(lend(BORROW_WAITS).file);
	streams[OURS].tee = false;
	is_locked = true;
	assert_null(lend(BORROW_MAY_PRINT).file);
	is_locked = false;
	for (int i = 0; i < AT_A_TIME; i++) {
		files[i] = new_file();
		borrowed[i] = borrow_buffer(&call, files[i], 0);
		assert_ptr_equal(borrowed[i].file, files[i]);
	}
	assert_null(lend(0).file);
	put("natively");
	written_is("natively");
	for (int i = 0; i < AT_A_TIME; i++) {
		borrow_give_back(&call, &borrowed[i]);
		stdio_buffer_forget(files[i]);
		fclose(files[i]);
	}
	assert_int_equal(locked, unlocked);
	assert_ptr_equal(file, own);
}

static void without_memory_it_is_a_small_one(void **state)
{
	struct rlimit limit, none = {0};
	struct borrowed_buffer buffer;

	(void)state;
	getrlimit(RLIMIT_AS, &limit);
	none.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_AS, &none);
	buffer = lend(0);
	setrlimit(RLIMIT_AS, &limit);
	put_much('a');
	put("little");
	take_back(&buffer);
	assert_int_equal(recorded_bytes, 1006);
	buffer = lend(0);
	for (int i = 0; i < 9; i++)
		put_much('b');
	take_back(&buffer);
	assert_int_equal(recorded_bytes, 1006 + 9000);
	written_is("");
}

/* ---- calls that do not come back ---- */

static struct borrowed_buffer lend_at(uintptr_t sp)
{
	const struct call other = {.sp = sp, .turn = &turn};

	return borrow_buffer(&other, file, 0);
}

static void a_call_that_was_left_is_over(void **state)
{
	struct borrowed_buffer outer, inner;

	(void)state;
	before = *file;
	outer = lend_at(500);
	put("outer ");
	assert_null(lend_at(400).file); /* it is inside */
	put("too ");
	self++;
	assert_null(lend_at(600).file); /* another thread */
	self--;
	inner = lend_at(600);
	assert_ptr_equal(inner.file, file);
	recorded_is("outer too ");
	put("inner");
	borrow_give_back(&call, &outer);
	recorded_is("outer too ");
	take_back(&inner);
	recorded_is("outer too inner");
	written_is("");
}

static void a_buffer_that_was_replaced_is_left_alone(void **state)
{
	static char other[4096];
	struct borrowed_buffer buffer = lend(0);

	(void)state;
	put("written ");
	setvbuf(file, other, _IOFBF, sizeof(other));
	borrow_give_back(&call, &buffer);
	assert_int_equal(locked, unlocked);
	assert_ptr_equal(file->_IO_buf_base, other);
	put("too");
	assert_int_equal(recorded_bytes, 0);
	written_is("written too");
}

static void at_exit_calls_inside_are_over(void **state)
{
	struct borrowed_buffer buffer;

	(void)state;
	for (int i = 0; i < 30; i++)
		borrow_end_at_exit();
	assert_in_range(handlers, 1, 31);
	before = *file;
	buffer = lend_at(UINTPTR_MAX);
	put("inside");
	self++;
	handler(0, NULL);
	self--;
	assert_int_equal(recorded_bytes, 0);
	handler(0, NULL);
	recorded_is("inside");
	take_back(&buffer);
	buffer = lend_at(1); /* was jumped out of */
	put("left");
	handler(0, NULL);
	recorded_is("inside");
	take_back(&buffer);
	recorded_is("insideleft");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_memory_it_is_a_small_one),
		TEST(what_libc_prints_is_said),
		TEST(lines_are_not_written_one_by_one),
		TEST(what_is_wide_is_so_again),
		TEST(some_get_no_loan),
		TEST(a_call_that_was_left_is_over),
		TEST(a_buffer_that_was_replaced_is_left_alone),
		TEST(at_exit_calls_inside_are_over),
	};

	self = pthread_self();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
