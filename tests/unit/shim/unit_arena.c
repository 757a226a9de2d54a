/*
 * Memory of threads: what is taken is zeros, aligned and nobody else's, also
 * where the k-th system call fails, for every k, or a handler takes some at any
 * instruction of one who does; a child of fork finds zeros in all of it, unless
 * that was asked for otherwise.
 */
#include "shim/host/inside.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "shim/host/arena.h"
#include "tests/unit/world/inject_calls.h"
#if defined(__x86_64__)
#include "tests/unit/world/single_step.h"
#endif

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define MIB ((size_t)1 << 20)
#define TAKEN_MOST 4000

enum wrong { RIGHT, OVER = 70, IMPOSSIBLE, REFUSED, NOT_ZERO, SHARED, KILLED };

static const struct inject_call calls[] = {
	{SYS_mmap, ENOMEM},
	{SYS_mprotect, ENOMEM},
	{SYS_madvise, ENOMEM},
	{SYS_munmap, ENOMEM},
	{SYS_prlimit64, ENOSYS},
};

static struct {
	unsigned char *at;
	size_t size;
} taken[TAKEN_MOST];
static size_t count, asked, refused;

static bool is_filled(const unsigned char *p, size_t size, unsigned char with)
{
	return p[0] == with && memcmp(p, p + 1, size - 1) == 0;
}

static unsigned char mark_of(size_t i)
{
	return (unsigned char)(i % 255 + 1);
}

static enum wrong take(size_t size)
{
	unsigned char *at = arena_take(size);

	asked++;
	refused += !at;
	if (!at)
		return RIGHT;
	if ((uintptr_t)at % 64 != 0 || !is_filled(at, size, 0))
		return NOT_ZERO;
	memset(at, mark_of(count), size);
	taken[count].at = at;
	taken[count++].size = size;
	return RIGHT;
}

static enum wrong look(bool wiped)
{
	for (size_t i = 0; i < count; i++)
		if (!is_filled(
			    taken[i].at, taken[i].size, wiped ? 0 : mark_of(i)))
			return SHARED;
	return RIGHT;
}

/* Whether the kernel hands it to a child. */
static enum wrong look_in_child(bool wiped)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit((int)(arena_is_marked() != !wiped ? NOT_ZERO
							: look(wiped)));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? (enum wrong)WEXITSTATUS(status) : KILLED;
}

static enum wrong take_many(void)
{
	static const size_t sizes[] = {100, 64, 40000, 3 * MIB, 1, 700000,
		20 * MIB, 64, 5000, 15 * MIB, 30 * MIB};
	enum wrong wrong = RIGHT;

	for (size_t i = 0; i < LENGTH(sizes) && !wrong; i++)
		wrong = take(sizes[i]);
	return wrong ? wrong : look(false);
}

/* Some calls may have failed before, but they do not any more. */
static enum wrong keep_and_wipe(void)
{
	enum wrong wrong;

	arena_keep(true);
	wrong = look_in_child(false);
	if (wrong)
		return wrong;
	arena_keep(false);
	return arena_is_kept() ? REFUSED : look_in_child(true);
}

/* ---- each call may fail ---- */

static enum wrong live(unsigned long k, bool always)
{
	enum wrong wrong = RIGHT;
	bool open;

	if (!inject_calls_prepare(calls, LENGTH(calls)))
		return IMPOSSIBLE;
	if (arena_root() || arena_is_marked())
		return NOT_ZERO;
	inject_calls_begin(k, always);
	open = arena_open();
	if (open) {
		arena_mark();
		arena_stock();
		wrong = take_many();
	}
	inject_calls_end();
	if (k > 0 && inject_calls.made < k)
		return OVER;
	if (k == 0 && (!open || refused > 0))
		return REFUSED;
	return wrong || !open ? wrong : keep_and_wipe();
}

/* What is wrong with a life in a child. */
static enum wrong end_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? (enum wrong)WEXITSTATUS(status) : KILLED;
}

static enum wrong live_apart(unsigned long k, bool always)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit((int)live(k, always));
	return end_of(pid);
}

static void each_call_may_fail(void **state)
{
	enum wrong wrong = live_apart(0, false);
	unsigned long k = 0;

	(void)state;
	if (wrong == IMPOSSIBLE)
		skip();
	while (wrong == RIGHT) {
		wrong = live_apart(++k, false);
		if (wrong == RIGHT)
			wrong = live_apart(k, true);
	}
	if (wrong != OVER)
		fail_msg("call %lu: %d", k, wrong);
	assert_in_range(k, 8, 1000);
}

/* ---- children ---- */

static enum wrong have_children(void)
{
	enum wrong wrong;

	if (!arena_open() || !arena_root())
		return REFUSED;
	arena_mark();
	wrong = take_many();
	if (!wrong)
		wrong = look_in_child(true);
	if (!wrong)
		wrong = keep_and_wipe();
	memset(arena_root(), 1, ARENA_ROOT_BYTES);
	arena_unmark();
	return wrong ? wrong
	       : arena_is_marked() ||
			       !is_filled(arena_root(), ARENA_ROOT_BYTES, 0)
		       ? NOT_ZERO
		       : RIGHT;
}

static long know_nothing(const struct seccomp_data *call)
{
	return call->nr == SYS_madvise ? -EINVAL : INJECT_NONE;
}

/* Before Linux 4.14: nothing is wiped, and this is asked for once. */
static enum wrong have_children_of_old(void)
{
	enum wrong wrong;

	if (!inject_calls_prepare(calls, LENGTH(calls)))
		return RIGHT;
	inject_calls.instead = know_nothing;
	inject_calls_begin(0, false);
	if (!arena_open())
		return REFUSED;
	arena_mark();
	wrong = take_many();
	inject_calls.made = 0;
	arena_keep(true);
	arena_keep(false);
	if (inject_calls.made > 0 || !arena_is_kept())
		return REFUSED;
	inject_calls_end();
	return wrong ? wrong : look_in_child(false);
}

static void happens(enum wrong (*what)(void))
{
	pid_t pid = fork();
	enum wrong wrong;

	if (pid == 0)
		_exit((int)what());
	wrong = end_of(pid);
	if (wrong)
		fail_msg("%d", wrong);
}

static void children_find_zeros_unless_it_was_kept(void **state)
{
	(void)state;
	happens(have_children);
	happens(have_children_of_old);
}

/* ---- limits ---- */

/* The program has most of its addresses left, and gets some of its own. */
static enum wrong be_limited(void)
{
	const struct rlimit limit = {200 * MIB, 200 * MIB};
	void *own;

	setrlimit(RLIMIT_AS, &limit);
	if (!arena_open() || take(64) || take(2 * MIB) || refused)
		return REFUSED;
	own = mmap(NULL, 120 * MIB, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (own == MAP_FAILED)
		return SHARED;
	while (!refused)
		if (take(3 * MIB))
			return NOT_ZERO;
	return take(100) || look(false) ? SHARED : RIGHT;
}

/* There are only so many pieces. */
static enum wrong be_exhausted(void)
{
	const struct rlimit limit = {1000 * MIB, 1000 * MIB};

	setrlimit(RLIMIT_AS, &limit);
	if (!arena_open())
		return REFUSED;
	while (!refused)
		if (take(2 * MIB))
			return NOT_ZERO;
	return asked < 100 || look(false) ? SHARED : RIGHT;
}

/* Stocked up as often as it likes. */
static enum wrong be_stocked(void)
{
	if (!arena_open())
		return REFUSED;
	for (int i = 0; i < 12; i++)
		arena_stock();
	return take_many();
}

static void there_is_an_end(void **state)
{
	(void)state;
	happens(be_limited);
	happens(be_stocked);
	happens(be_exhausted);
}

#if defined(__x86_64__)
/* ---- interrupted at every instruction ---- */

static void on_step(void)
{
	if (take(MIB / 2))
		_exit(NOT_ZERO);
}

/* True: something was taken meanwhile. */
static bool is_interrupted(unsigned long at, size_t size)
{
	unsigned char *taken_at;
	bool interrupted;

	step_begin(at);
	taken_at = arena_take(size);
	interrupted = step_end();
	if (!taken_at || !is_filled(taken_at, size, 0))
		_exit(NOT_ZERO);
	memset(taken_at, mark_of(count), size);
	taken[count].at = taken_at;
	taken[count++].size = size;
	return interrupted;
}

static enum wrong step_through(void)
{
	unsigned long at = 0;

	step_prepare(on_step);
	if (!arena_open())
		return REFUSED;
	while (is_interrupted(at, MIB / 3))
		at++;
	return at < 50 ? REFUSED : look(false);
}

/* Where the first of a new chunk is taken. */
static unsigned long new_chunk_at;

static enum wrong step_into_a_new_chunk(void)
{

	step_prepare(on_step);
	if (!arena_open() || take(MIB - 64 - 64))
		return REFUSED;
	if (!is_interrupted(new_chunk_at, MIB / 2))
		return OVER;
	return look(false);
}

static void interrupted_anywhere_nobody_gets_anothers(void **state)
{
	enum wrong wrong = RIGHT;

	(void)state;
	happens(step_through);
	for (new_chunk_at = 0; wrong == RIGHT; new_chunk_at++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit((int)step_into_a_new_chunk());
		wrong = end_of(pid);
	}
	assert_int_equal(wrong, OVER);
	assert_in_range(new_chunk_at, 50, 10000);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_may_fail),
		cmocka_unit_test(children_find_zeros_unless_it_was_kept),
		cmocka_unit_test(there_is_an_end),
#if defined(__x86_64__)
		cmocka_unit_test(interrupted_anywhere_nobody_gets_anothers),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
