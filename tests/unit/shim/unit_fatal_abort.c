/*
 * A program that aborts has its own call on record, in place of what follows in
 * libc; and no other one, should it have survived that.
 */
#if defined(__x86_64__)

#include "tests/unit/world/fatal_world.h"

#include "shim/host/sys.h"
#include "shim/record/capture.h"

static void handler(int number)
{
	(void)number;
	_exit(9);
}

static sigjmp_buf back;

static void jump_back(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

/* As the wrapper does it. */
static __attribute__((noinline)) void abort_here(void)
{
	const struct call call = CAPTURE_CALL("abort", NULL);

	fatal_abort(&call);
	raise(SIGABRT);
	__asm__ volatile("" ::: "memory");
}

static void aborts(void)
{
	abort_here();
	_exit(1);
}

static void aborts_although_it_ignores_that(void)
{
	signal(SIGABRT, SIG_IGN);
	abort_here();
	signal(SIGABRT, SIG_DFL);
	raise(SIGABRT);
}

static void reports_its_call(void)
{
	struct call call = CAPTURE_CALL("abort", NULL);

	seen->word = call.pc;
	fatal_abort(&call);
	raise(SIGABRT);
	__asm__ volatile("" ::: "memory");
}

static void the_call_of_abort_is_on_record(void **state)
{
	const int64_t value = SIGABRT | (SI_TKILL & 255) << 8;

	(void)state;
	ends_as_natively(reports_its_call, true);
	assert_int_equal(seen->pc, seen->word);
	assert_int_equal(seen->value, value | (int64_t)seen->pid << 16);
	/* Also where there is no handler of ours. */
	assert_int_equal(ending(NATIVE, aborts), SIGABRT);
	assert_int_equal(seen->events, 1);
	assert_int_equal(seen->value, value | (int64_t)seen->pid << 16);
	assert_int_equal(
		ending(NATIVE, aborts_although_it_ignores_that), SIGABRT);
	assert_int_equal(seen->events, 1);
	assert_int_equal(seen->drained, 1);
}

static void aborts_with_a_handler(void)
{
	signal(SIGABRT, handler);
	abort_here();
}

static void aborts_in_a_sandbox(void)
{
	sys_forbidden = true;
	abort_here();
}

static void aborts_in_a_child_of_vfork(void)
{
	borrowed = true;
	abort_here();
}

static void who_may_not_die_of_it_has_none(void **state)
{
	(void)state;
	assert_int_equal(WEXITSTATUS(ending(NATIVE, aborts_with_a_handler)), 9);
	assert_int_equal(seen->events, 0);
	assert_int_equal(ending(NATIVE, aborts_in_a_sandbox), SIGABRT);
	assert_int_equal(seen->events, 0);
	assert_int_equal(ending(NATIVE, aborts_in_a_child_of_vfork), SIGABRT);
	assert_int_equal(seen->events, 0);
}

/* A handler has jumped out of abort(), long ago. */
static void survives(void)
{
	signal(SIGABRT, jump_back);
	if (sigsetjmp(back, 1) == 0)
		abort_here();
	signal(SIGABRT, SIG_DFL);
	fatal_adopt(SIGABRT);
}

static __attribute__((noinline)) void raise_below(size_t bytes)
{
	volatile char room[1000];

	room[0] = 1;
	if (bytes > sizeof(room))
		raise_below(bytes - sizeof(room));
	else
		raise(SIGABRT);
	room[1] = room[0];
}

static __attribute__((noinline)) void survive_below(void)
{
	volatile char room[8192];

	room[0] = 1;
	survives();
	room[1] = room[0];
}

static void raises(void)
{
	raise(SIGABRT);
}

static void raises_further_up(void)
{
	survive_below();
	raise(SIGABRT);
}

/* It was here that another call was, once. */
static void raises_further_down(void)
{
	volatile uintptr_t slot = 5;
	const struct call call = {.pc = slot, .sp = (uintptr_t)(&slot + 1)};

	fatal_abort(&call);
	raise_below(65536);
	slot++;
}

static __attribute__((noinline)) void overwrite(void)
{
	char room[4000];

	memset(room, 5, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
}

static void raises_nearby(void)
{
	survives();
	overwrite();
	raise_below(1000);
}

/* Where the call was, there is no stack any more. */
static void raises_at_the_end_of_a_stack(void)
{
	uintptr_t end = ((uintptr_t)__builtin_frame_address(0) | 4095) + 1;
	const struct call call = {.pc = 5, .sp = end + 8};

	fatal_abort(&call);
	raise(SIGABRT);
}

static void is_on_a_stack_of_its_own(void)
{
	static ucontext_t own, here;
	char *stack = mmap(NULL, 65536 + 4096, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(stack + 65536, 4096, PROT_NONE);
	getcontext(&own);
	own.uc_stack.ss_sp = stack;
	own.uc_stack.ss_size = 65536;
	makecontext(&own, raises_at_the_end_of_a_stack, 0);
	swapcontext(&here, &own);
}

static void one_that_was_survived_is_not(void **state)
{
	static void (*const later[])(void) = {raises_further_up,
		raises_further_down, raises_nearby, is_on_a_stack_of_its_own};
	uintptr_t pc;

	(void)state;
	for (size_t i = 0; i < sizeof(later) / sizeof(*later); i++) {
		ending(WATCHED, later[i]);
		assert_int_equal(seen->events, 1);
		pc = seen->pc;
		ends_as_natively(raises, true);
		assert_int_equal(seen->pc, pc); /* that of raise() */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_call_of_abort_is_on_record),
		cmocka_unit_test(who_may_not_die_of_it_has_none),
		cmocka_unit_test(one_that_was_survived_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
#include <stdio.h>

int main(void)
{
	printf("1..0 # SKIP registers are those of x86-64\n");
	return 0;
}
#endif
