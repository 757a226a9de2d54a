/*
 * After every single instruction of some code a signal handler is run, which
 * walks the stack: so each prologue, epilogue and linkage table is seen in
 * each of its states.  The oracle is libc's backtrace().
 */
#if defined(__x86_64__)

#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "shim/unwind/cfi.h"
#include "tests/unit/world/unwind_probe.h"

#define TRAP_FLAG 0x100

static struct probe now;
static volatile bool stepping;
static unsigned steps, exact, cut, wrong;
static uintptr_t first_wrong;

/* The walk has ended early, and rightly: at a rule that is not understood. */
static bool is_cut(void)
{
	unsigned last = now.cfi.depth - 1u;
	/* 0 is the trampoline of the signal, 1 what it has interrupted. */
	uintptr_t pc = now.cfi.pc[last] - (last != 1);

	return !now.cfi.repeatable && now.cfi.depth < now.depth &&
	       memcmp(now.cfi.pc, now.pc, now.cfi.depth * sizeof(*now.pc)) ==
		       0 &&
	       cfi_find(pc).cfa == CFI_UNSUPPORTED;
}

static void on_step(int number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;
	uintptr_t pc = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];

	(void)number;
	(void)info;
	if (stepping)
		interrupted->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	else
		interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	now.max_depth = UNWIND_FRAMES_MAX;
	now.start = (struct unwind_start)PROBE_START;
	probe_cfi(&now);
	probe_oracle(&now);
	steps++;
	if (probe_is_exact(&now, &now.cfi)) {
		exact++;
	} else if (is_cut()) {
		cut++;
	} else {
		if (wrong++ == 0)
			first_wrong = pc;
	}
}

static NOINLINE int with_alloca(size_t size)
{
	char *block = alloca(size);

	USE(block);
	return getppid() + block[0];
}

static NOINLINE int realigned(size_t size)
{
	_Alignas(64) char line[64];
	char *block = alloca(size);

	USE(line);
	USE(block);
	return with_alloca(size) + block[0];
}

static NOINLINE int busy(int n)
{
	int a = n * 3, b = n * 5, c = n * 7, d = n ^ 9, e = n + 11, f = n - 13;

	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
	__asm__ volatile("" : "+r"(f));
	n = realigned(30) + (a & 1 ? realigned(99) : with_alloca(7));
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));
	__asm__ volatile("" : "+r"(f));
	return a + b + c + d + e + f + n;
}

static int compare(const void *a, const void *b)
{
	return busy(1), *(const int *)a - *(const int *)b;
}

static NOINLINE void work(void)
{
	int number[] = {5, 2, 4};
	char text[64];

	qsort(number, 3, sizeof(*number), compare);
	snprintf(text, sizeof(text), "%d %s %.3f", number[0], "text", 0.5);
	free(malloc((size_t)number[1]));
	/* The first call of this function: it has to be found. */
	number[0] = getpgrp();
	USE(number);
	USE(text);
}

static void every_instruction_is_unwound(int flags)
{
	struct sigaction action = {.sa_sigaction = on_step}, old;
	void *frame[4];

	backtrace(frame, 4);
	steps = exact = cut = wrong = 0;
	action.sa_flags = SA_SIGINFO | flags;
	assert_int_equal(sigaction(SIGTRAP, &action, &old), 0);
	stepping = true;
	raise(SIGTRAP);
	work();
	stepping = false;
	assert_int_equal(sigaction(SIGTRAP, &old, NULL), 0);
	print_message("steps %u, exact %u, cut %u\n", steps, exact, cut);
	if (wrong > 0)
		print_message("the first at %p\n", (void *)first_wrong);
	assert_int_equal(wrong, 0);
	assert_true(exact > 1000);
}

static void every_instruction_on_the_same_stack(void **state)
{
	(void)state;
	every_instruction_is_unwound(0);
}

static void every_instruction_on_an_alternate_stack(void **state)
{
	stack_t stack = {.ss_size = 256 * 1024}, old;

	(void)state;
	stack.ss_sp = malloc(stack.ss_size);
	assert_int_equal(sigaltstack(&stack, &old), 0);
	every_instruction_is_unwound(SA_ONSTACK);
	assert_int_equal(sigaltstack(&old, NULL), 0);
	free(stack.ss_sp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_instruction_on_the_same_stack),
		cmocka_unit_test(every_instruction_on_an_alternate_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else /* the unwinder tested here does not exist */

int main(void)
{
	return 0;
}

#endif
