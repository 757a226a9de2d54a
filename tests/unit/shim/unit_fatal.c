/*
 * A signal that ends the program ends it as it would without us, and what is on
 * record is what the kernel says of it, with the place where it has come.
 */
#if defined(__x86_64__)

#include "tests/unit/world/fatal_world.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#define NOWHERE ((uintptr_t)64) /* nothing is mapped there */

static void answer_with(int number, uint32_t answer)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {4, code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* ---- what ends a program ---- */

static void store_at(volatile uintptr_t address)
{
	*(volatile char *)address = 1;
}

static void stores_nowhere(void)
{
	store_at(NOWHERE);
}

static void stores_where_no_address_is(void)
{
	store_at((uintptr_t)1 << 63);
}

static void divides(void)
{
	volatile int zero = 0;

	zero = 4711 / zero;
}

static void is_no_instruction(void)
{
	__asm__ volatile("ud2");
}

static void is_a_breakpoint(void)
{
	__asm__ volatile("int3");
}

/* Behind the end of a file. */
static char *cut_off_page(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
		memfd_create("cut", 0), 0);
}

static void stores_behind_a_file(void)
{
	store_at((uintptr_t)cut_off_page());
}

static void makes_a_forbidden_call(void)
{
	answer_with(SYS_getppid, SECCOMP_RET_TRAP);
	syscall(SYS_getppid);
}

static void raises(void)
{
	raise(SIGABRT);
}

static void is_sent_one(void)
{
	kill(getpid(), SIGSEGV);
}

static void hears_of_broken_memory(void)
{
	siginfo_t info = {.si_signo = SIGBUS, .si_code = BUS_MCEERR_AO};

	info.si_addr = &info;
	syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGBUS, &info);
}

/* See text.def. */
static int64_t as_recorded(const siginfo_t *info, pid_t pid)
{
	uint64_t detail =
		info->si_code > 0 ? (uintptr_t)info->si_addr : (uint64_t)pid;

	if (info->si_signo == SIGSYS)
		detail = (uint64_t)info->si_syscall;
	return (int64_t)((uint64_t)info->si_signo |
			 (uint64_t)(info->si_code & 255) << 8 | detail << 16);
}

static void what_is_recorded_is_what_the_kernel_says(void **state)
{
	static void (*const causes[])(void) = {stores_nowhere,
		stores_where_no_address_is, divides, is_no_instruction,
		is_a_breakpoint, stores_behind_a_file, makes_a_forbidden_call,
		raises, is_sent_one};
	struct seen said;

	(void)state;
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		assert_int_equal(ending(OBSERVED, causes[i]), 0);
		said = *seen;
		assert_int_equal(said.events, 1);
		ends_as_natively(causes[i], true);
		if (i != 5) /* another page each time */
			assert_int_equal(seen->value,
				as_recorded(&said.info, seen->pid));
		assert_int_equal(
			seen->pc, said.pc + (said.info.si_signo != SIGTRAP));
		assert_int_equal(seen->messages, said.info.si_signo == SIGABRT);
	}
	ends_as_natively(hears_of_broken_memory, true);
	assert_int_equal(seen->value & 0xffff, SIGBUS | BUS_MCEERR_AO << 8);
}

static void cannot_send_it_again(void)
{
	answer_with(SYS_rt_tgsigqueueinfo, SECCOMP_RET_ERRNO | EPERM);
	raise(SIGABRT);
}

static void where_it_cannot_be_sent_again_it_comes_anew(void **state)
{
	(void)state;
	ends_as_natively(cannot_send_it_again, true);
}

/* What one descriptor collects is on record, too. */
static void with_what_was_collected(void **state)
{
	(void)state;
	ends_as_natively(raises, true);
	assert_int_equal(seen->drained, 0);
	stdio_buffer_collects = stdout;
	ends_as_natively(raises, true);
	stdio_buffer_collects = NULL;
	assert_int_equal(seen->drained, 1);
}

/* ---- jumps into the blue ---- */

static void jumps_nowhere(void)
{
	((void (*)(void))NOWHERE)();
	_exit(1);
}

static int data[4] = {1, 2, 3, 4};

static void jumps_to_data(void)
{
	((void (*)(void))(uintptr_t)data)();
	_exit(1);
}

static void has_another_stack(void)
{
	static char stack[65536];
	const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};

	sigaltstack(&other, NULL);
}

static void jumps_without_a_stack(void)
{
	has_another_stack();
	__asm__ volatile("movq %0, %%rsp\n\tjmpq *%0" : : "r"(NOWHERE));
}

static void after_a_jump_its_caller_is_known(void **state)
{
	uintptr_t caller;

	(void)state;
	assert_int_equal(ending(OBSERVED, jumps_nowhere), 0);
	assert_int_equal(seen->pc, NOWHERE);
	caller = seen->word;
	ends_as_natively(jumps_nowhere, true);
	assert_int_equal(seen->pc, caller);
	ends_as_natively(jumps_to_data, true);
	assert_int_equal(seen->pc, (uintptr_t)data + 1);
	ends_as_natively(jumps_without_a_stack, true);
	assert_int_equal(seen->pc, NOWHERE + 1);
	assert_int_equal(seen->sp, NOWHERE);
}

/* ---- room on the stack ---- */

static void faults_on_another_stack(void)
{
	has_another_stack();
	stores_nowhere();
}

/* It has asked the kernel for the action, and calls it where it is itself. */
static void pass_on(const stack_t *stack)
{
	struct sigaction action;
	siginfo_t info = {.si_signo = SIGSEGV, .si_code = SEGV_MAPERR};
	ucontext_t context;

	getcontext(&context);
	context.uc_stack = *stack;
	sigaction(SIGSEGV, NULL, &action);
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(SIGSEGV, &info, &context);
	raise(SIGSEGV);
}

static void passes_it_on_beside_its_stack(void)
{
	stack_t stack;

	has_another_stack();
	sigaltstack(NULL, &stack);
	pass_on(&stack);
}

static void passes_it_on_where_its_stack_ends(void)
{
	const stack_t stack = {
		.ss_sp = (char *)__builtin_frame_address(0) - 3500,
		.ss_size = 65536};

	pass_on(&stack);
}

static char *small_stack;

static void go_down(void)
{
	volatile char room[400];

	room[0] = 1;
	if ((char *)__builtin_frame_address(0) - small_stack > 3900)
		go_down();
	else
		passes_it_on_beside_its_stack();
	room[1] = room[0];
}

/* Below it is a page that nobody may touch. */
static void passes_it_on_at_the_end_of_its_own(void)
{
	static ucontext_t own, here;
	char *memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	has_another_stack();
	/* The loader would have no room to look these up there. */
	sigaction(SIGSEGV, NULL, &(struct sigaction){0});
	raise(0);
	mprotect(memory, 4096, PROT_NONE);
	small_stack = memory + 4096;
	getcontext(&own);
	own.uc_stack.ss_sp = small_stack;
	own.uc_stack.ss_size = 65536 - 4096;
	makecontext(&own, go_down, 0);
	swapcontext(&here, &own);
}

static void a_small_stack_does_not_overflow(void **state)
{
	(void)state;
	ends_as_natively(faults_on_another_stack, true);
	ends_as_natively(passes_it_on_beside_its_stack, true);
	ends_as_natively(passes_it_on_where_its_stack_ends, false);
	ends_as_natively(passes_it_on_at_the_end_of_its_own, false);
}

static void of_a_child_of_vfork_nothing_is_recorded(void **state)
{
	(void)state;
	borrowed = true;
	ends_as_natively(stores_nowhere, false);
	borrowed = false;
}

/* ---- stores of ours ---- */

static bool maps_memory(const void *address)
{
	void *page = (void *)((uintptr_t)address & ~(uintptr_t)4095);

	return mmap(page, 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page;
}

static void stores_into_what_is_mended(void)
{
	volatile char *page = cut_off_page();

	errno = 4711;
	page[5] = 7;
	_exit(page[5] == 7 && errno == 4711 ? 0 : 1);
}

static void a_file_of_ours_that_was_cut_is_mended(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		mend_capture = i == 0 ? maps_memory : NULL;
		mend_position = i == 1 ? maps_memory : NULL;
		assert_int_equal(
			ending(WATCHED, stores_into_what_is_mended), 0);
		assert_int_equal(seen->abandoned, 1);
		assert_int_equal(seen->events, 0);
		ends_as_natively(hears_of_broken_memory, true);
	}
	mend_position = NULL;
	ends_as_natively(stores_into_what_is_mended, true);
	assert_int_equal(seen->abandoned, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_recorded_is_what_the_kernel_says),
		cmocka_unit_test(where_it_cannot_be_sent_again_it_comes_anew),
		cmocka_unit_test(with_what_was_collected),
		cmocka_unit_test(after_a_jump_its_caller_is_known),
		cmocka_unit_test(a_small_stack_does_not_overflow),
		cmocka_unit_test(of_a_child_of_vfork_nothing_is_recorded),
		cmocka_unit_test(a_file_of_ours_that_was_cut_is_mended),
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
