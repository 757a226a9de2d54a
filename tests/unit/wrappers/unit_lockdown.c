/*
 * Calls after which the kernel may not be asked, or the capture not be reached:
 * what is done before and after them, in which order, and whatever becomes of
 * them; and that they reach the kernel as they are.
 */
#include "shim/host/inside.h"

#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/file/capture_file.h"
#include "shim/file/growth.h"
#include "shim/host/arena.h"
#include "shim/host/clock.h"
#include "shim/start/fatal.h"
#include "shim/streams/streams.h"
#include "shim/writer/writer.h"
#include "tests/unit/world/switched_streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* ---- what the library would be: each part leaves a letter ---- */

bool sys_forbidden;
uint32_t drops_generation;
uint32_t streams_version[ENTRY_COUNT];
const FILE *streams_collecting;

static struct {
	char log[128];
	unsigned decided;
	long result;
	long passed[7];
	bool forbidden; /* at the call */
	bool is_borrowed;
	unsigned first, last; /* that were forgotten */
} world;

static void note(char c)
{
	size_t n = strlen(world.log);

	assert_true(n + 1 < sizeof(world.log));
	world.log[n] = c;
}

__attribute__((const)) static int *where_errno_is(void)
{
	return __errno_location();
}

__attribute__((const)) int *(*host_errno)(void) = where_errno_is;

void control_follow(void)
{
}

unsigned streams_decide(int fd)
{
	assert_false(sys_forbidden);
	assert_int_equal(fd, world.decided);
	world.decided++;
	return STREAM_PASS;
}

void streams_forget_range(unsigned first, unsigned last)
{
	if (first > last)
		return;
	world.first = first;
	world.last = last;
	note('f');
}

void arena_stock(void)
{
	assert_false(sys_forbidden);
	note('a');
}

void writer_stock_up(void)
{
	assert_false(sys_forbidden);
	note('w');
}

void capture_file_stock(void)
{
	assert_false(sys_forbidden);
	note('c');
}

void fatal_unwatch(void)
{
	assert_false(sys_forbidden);
	note('u');
}

void fatal_watch(void)
{
	assert_false(sys_forbidden);
	note('U');
}

bool clock_freeze(void)
{
	note('z');
	return true;
}

void clock_thaw(void)
{
	note('Z');
}

void growth_reach_all(void)
{
	errno = EIO;
	note('g');
}

bool process_is_borrowed(void)
{
	return world.is_borrowed;
}

static long take(long n, long a, long b, long c, long d, long e, long f)
{
	const long all[] = {n, a, b, c, d, e, f};

	memcpy(world.passed, all, sizeof(all));
	world.forbidden = sys_forbidden;
	note('!');
	return world.result;
}

static int take_prctl(int option, ...)
{
	unsigned long a[4];
	va_list ap;

	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, unsigned long);
	va_end(ap);
	return (int)take(
		option, (long)a[0], (long)a[1], (long)a[2], (long)a[3], 0, 0);
}

static long take_syscall(long number, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	return take(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static unsigned always_forgets;

void streams_forget_always(void)
{
	always_forgets++;
}

static int never_unshares(int flags)
{
	assert_true(flags >= 0);
	return -1;
}

int (*next_unshare)(int) = never_unshares;
int (*next_prctl)(int, ...) = take_prctl;
long (*next_syscall)(long, ...) = take_syscall;

static void begin_again(long result)
{
	memset(&world, 0, sizeof(world));
	world.result = result;
	sys_forbidden = false;
}

static int begin(void **state)
{
	(void)state;
	begin_again(0);
	return 0;
}

/* ---- calls ---- */

static int prctl_of(int option, ...)
{
	va_list ap;
	int result;

	va_start(ap, option);
	result = lockdown_prctl(option, ap);
	va_end(ap);
	return result;
}

static long syscall_of(long number, ...)
{
	va_list ap;
	long result;

	va_start(ap, number);
	result = lockdown_syscall(number, ap);
	va_end(ap);
	return result;
}

#define ANY 5l, 6l, 7l
#define PRCTL(option, a) prctl_of(option, (unsigned long)(a), ANY)
#define SYSCALL(number, a, b)                                                  \
	syscall_of(number, (long)(a), (long)(b), 7l, 8l, 9l, 10l)

/* ---- the tests ---- */

static void calls_reach_the_kernel_as_they_are(void **state)
{
	const long prctl_wanted[] = {PR_SET_NAME, 77, 5, 6, 7, 0, 0};
	const long wanted[] = {SYS_getpid, 1, 2, 7, 8, 9, 10};

	(void)state;
	world.result = 42;
	assert_int_equal(PRCTL(PR_SET_NAME, 77), 42);
	assert_memory_equal(world.passed, prctl_wanted, sizeof(prctl_wanted));
	assert_int_equal(SYSCALL(SYS_getpid, 1, 2), 42);
	assert_memory_equal(world.passed, wanted, sizeof(wanted));
	assert_string_equal(world.log, "!!");
	assert_false(world.forbidden);
}

/* All that the library may need is had before. */
static void a_filter_seals(void **state)
{
	(void)state;
	PRCTL(PR_SET_SECCOMP, SECCOMP_MODE_FILTER);
	assert_string_equal(world.log, "awcu!");
	assert_int_equal(world.decided, 16);
	assert_true(world.forbidden && sys_forbidden);
	PRCTL(PR_SET_SECCOMP, SECCOMP_MODE_FILTER); /* one more */
	assert_string_equal(world.log, "awcu!!");
	world.result = -1;
	PRCTL(PR_SET_SECCOMP, SECCOMP_MODE_FILTER);
	SYSCALL(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0);
	assert_string_equal(world.log, "awcu!!!!");
	assert_true(sys_forbidden);
}

static void strict_mode_stops_the_time(void **state)
{
	(void)state;
	PRCTL(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	assert_string_equal(world.log, "awcuz!");
	begin_again(0);
	SYSCALL(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0);
	assert_string_equal(world.log, "awcuz!");
	assert_true(sys_forbidden);
	begin_again(-1);
	SYSCALL(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0);
	assert_string_equal(world.log, "awcuz!ZU");
	assert_false(sys_forbidden);
}

static void a_filter_that_was_refused_does_not(void **state)
{
	(void)state;
	begin_again(-1);
	PRCTL(PR_SET_SECCOMP, SECCOMP_MODE_FILTER);
	assert_string_equal(world.log, "awcu!U");
	assert_true(world.forbidden);
	assert_false(sys_forbidden);
	/* The thread that was in the way, or a descriptor. */
	begin_again(1234);
	SYSCALL(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_TSYNC);
	assert_string_equal(world.log, "awcu!U");
	begin_again(1234);
	SYSCALL(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_NEW_LISTENER);
	assert_string_equal(world.log, "awcu!");
	assert_true(sys_forbidden);
}

static void what_only_asks_seals_nothing(void **state)
{
	(void)state;
	PRCTL(PR_GET_SECCOMP, 0);
	SYSCALL(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0);
	SYSCALL(SYS_prctl, PR_GET_SECCOMP, 0);
	assert_string_equal(world.log, "!!!");
	SYSCALL(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER);
	assert_string_equal(world.log, "!!!awcu!");
}

static void the_counter_may_be_forbidden(void **state)
{
	uint32_t version = streams_version[0];

	(void)state;
	PRCTL(PR_SET_TSC, PR_TSC_SIGSEGV);
	assert_string_equal(world.log, "z!");
	assert_int_not_equal(streams_version[0], version);
	PRCTL(PR_SET_TSC, PR_TSC_ENABLE);
	assert_string_equal(world.log, "z!!Z");
	world.result = -1;
	PRCTL(PR_SET_TSC, PR_TSC_ENABLE);
	PRCTL(PR_GET_TSC, PR_TSC_ENABLE);
	PRCTL(PR_GET_TSC, PR_TSC_SIGSEGV);
	PRCTL(PR_SET_TSC, 99);
	assert_string_equal(world.log, "z!!Z!!!!");
	assert_false(sys_forbidden);
}

static void descriptors_may_be_divided(void **state)
{
	(void)state;
	always_forgets = 0;
	SYSCALL(SYS_unshare, CLONE_NEWNS, 0);
	syscall_of(SYS_close_range, 3l, 9l, 0l, 0l, 0l, 0l);
	assert_int_equal(always_forgets, 0);
	SYSCALL(SYS_unshare, CLONE_FILES, 0);
	assert_int_equal(always_forgets, 1);
	syscall_of(
		SYS_close_range, 3l, 9l, (long)CLOSE_RANGE_UNSHARE, 0l, 0l, 0l);
	assert_int_equal(always_forgets, 2);
	assert_int_equal(lockdown_unshare(CLONE_FILES), -1);
	assert_int_equal(always_forgets, 3);
}

/* Before, for who looks meanwhile, and after. */
static void descriptors_that_change_are_forgotten(void **state)
{
	static const struct {
		long number, a, b;
		unsigned first, last;
	} rows[] = {
		{SYS_close, 3, 9, 3, 3},
#ifdef SYS_dup2
		{SYS_dup2, 3, 9, 9, 9},
#endif
		{SYS_dup3, 3, 9, 9, 9},
		{SYS_close_range, 3, 9, 3, 9},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin_again(0);
		SYSCALL(rows[i].number, rows[i].a, rows[i].b);
		assert_string_equal(world.log, "f!f");
		assert_int_equal(world.first, rows[i].first);
		assert_int_equal(world.last, rows[i].last);
	}
}

static void who_gives_up_rights_has_all_of_the_file_before(void **state)
{
	static const long numbers[] = {SYS_chroot, SYS_pivot_root, SYS_unshare,
		SYS_setns, SYS_setuid, SYS_setreuid, SYS_setresuid,
		SYS_setfsuid, SYS_capset, SYS_landlock_restrict_self};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		begin_again(0);
		errno = ENOENT;
		SYSCALL(numbers[i], 0, 0);
		assert_string_equal(world.log, "g!");
		assert_int_equal(errno, ENOENT);
	}
	begin_again(0);
	world.is_borrowed = true; /* the file is another process's */
	SYSCALL(SYS_setuid, 0, 0);
	assert_string_equal(world.log, "!");
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(calls_reach_the_kernel_as_they_are),
		TEST(a_filter_seals),
		TEST(strict_mode_stops_the_time),
		TEST(a_filter_that_was_refused_does_not),
		TEST(what_only_asks_seals_nothing),
		TEST(the_counter_may_be_forbidden),
		TEST(descriptors_may_be_divided),
		TEST(descriptors_that_change_are_forgotten),
		TEST(who_gives_up_rights_has_all_of_the_file_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
