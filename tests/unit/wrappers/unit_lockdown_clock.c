/*
 * Time stands still as long as the program may not read the counter, by the
 * real clock: neither longer, nor in other ticks from then on.
 */
#include "shim/host/inside.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <setjmp.h>
#include <cmocka.h>

#include "shim/control/control.h"
#include "shim/control/process.h"
#include "shim/file/capture_file.h"
#include "shim/file/growth.h"
#include "shim/host/arena.h"
#include "shim/host/clock.h"
#include "shim/host/sys.h"
#include "shim/start/fatal.h"
#include "shim/streams/streams.h"
#include "shim/writer/writer.h"
#include "tests/unit/world/switched_streams.h"
#include "wrappers/handlers.h"
#include "wrappers/next.h"

/* ---- what the library would be ---- */

uint32_t drops_generation, streams_version[ENTRY_COUNT];
const FILE *streams_collecting;
int (*host_clock_gettime)(clockid_t, struct timespec *) = clock_gettime;
__attribute__((const)) int *(*host_errno)(void) = __errno_location;

static long result;  /* of a call, */
static bool stopped; /* and whether time stood still when it was made */

void control_follow(void)
{
}

unsigned streams_decide(int fd)
{
	(void)fd;
	return STREAM_PASS;
}

void streams_forget_range(unsigned first, unsigned last)
{
	(void)first;
	(void)last;
}

void arena_stock(void)
{
}

void writer_stock_up(void)
{
}

void capture_file_stock(void)
{
}

void fatal_watch(void)
{
}

void fatal_unwatch(void)
{
}

bool process_is_borrowed(void)
{
	return false;
}

void growth_reach_all(void)
{
}

/* Then each look at the clock is a tick later than the last one. */
static bool is_frozen(void)
{
	const struct timespec moment = {0, 10000};
	uint64_t ticks = clock_ticks();

	nanosleep(&moment, NULL);
	return clock_ticks() == ticks + 1;
}

static long make_syscall(long number, ...)
{
	(void)number;
	stopped = is_frozen();
	return result;
}

static int make_prctl(int option, ...)
{
	(void)option;
	stopped = is_frozen();
	return (int)result;
}

void streams_forget_always(void)
{
}

int (*next_unshare)(int);
long (*next_syscall)(long, ...) = make_syscall;
int (*next_prctl)(int, ...) = make_prctl;

/* ---- the tests ---- */

static int begin(void **state)
{
	(void)state;
	result = 0;
	sys_forbidden = false;
	clock_thaw();
	clock_is_tsc = true;
	return 0;
}

static void asks(long number, ...)
{
	va_list ap;

	va_start(ap, number);
	assert_int_equal(lockdown_syscall(number, ap), result);
	va_end(ap);
}

static void prctls(int option, ...)
{
	va_list ap;

	va_start(ap, option);
	assert_int_equal(lockdown_prctl(option, ap), result);
	va_end(ap);
}

static void time_stands_still_where_it_cannot_be_read(void **state)
{
	uint32_t version = streams_version[ENTRY_NONE];

	(void)state;
	prctls(PR_SET_TSC, (long)PR_TSC_SIGSEGV, 0l, 0l, 0l);
	assert_true(stopped);
	assert_true(is_frozen());
	assert_int_not_equal(streams_version[ENTRY_NONE], version);
	result = -1;
	prctls(PR_SET_TSC, (long)PR_TSC_ENABLE, 0l, 0l, 0l);
	assert_true(is_frozen());
	result = 0;
	prctls(PR_SET_TSC, (long)PR_TSC_ENABLE, 0l, 0l, 0l);
	assert_false(is_frozen());
	prctls(PR_SET_TSC, (long)PR_TSC_ENABLE, 0l, 0l, 0l);
	assert_false(stopped);
	prctls(PR_GET_TSC, (long)PR_TSC_SIGSEGV, 0l, 0l, 0l);
	assert_false(is_frozen());
	assert_false(sys_forbidden);
}

static void where_it_can_be_read_after_all_it_goes_on(void **state)
{
	(void)state;
	result = -1;
	prctls(PR_SET_TSC, (long)PR_TSC_SIGSEGV, 0l, 0l, 0l);
	assert_true(stopped);
	assert_false(is_frozen());
	result = 0;
	for (unsigned i = 0; i < 2; i++)
		prctls(PR_SET_TSC, (long)PR_TSC_SIGSEGV, 0l, 0l, 0l);
	result = -1; /* the first one holds */
	prctls(PR_SET_TSC, (long)PR_TSC_SIGSEGV, 0l, 0l, 0l);
	asks(SYS_seccomp, (long)SECCOMP_SET_MODE_STRICT, 0l, 0l, 0l, 0l, 0l);
	assert_true(is_frozen());
	result = 0;
	prctls(PR_SET_TSC, (long)PR_TSC_ENABLE, 0l, 0l, 0l);
	assert_false(is_frozen());
	assert_true(clock_is_tsc); /* ticks are what they were */
}

static void so_it_is_if_nearly_all_is_forbidden(void **state)
{
	(void)state;
	result = -1;
	asks(SYS_seccomp, (long)SECCOMP_SET_MODE_STRICT, 0l, 0l, 0l, 0l, 0l);
	assert_true(stopped);
	assert_false(is_frozen());
	result = 0;
	asks(SYS_seccomp, (long)SECCOMP_SET_MODE_STRICT, 0l, 0l, 0l, 0l, 0l);
	assert_true(is_frozen());
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(time_stands_still_where_it_cannot_be_read),
		TEST(where_it_can_be_read_after_all_it_goes_on),
		TEST(so_it_is_if_nearly_all_is_forbidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
