/*
 * Code is interrupted at one of its instructions, whichever is wanted: the trap
 * flag makes each of them end in SIGTRAP (Intel SDM 3, 18.3.1.4).  x86-64 only;
 * one thread at a time.  To be included once, by a unit.
 */
#ifndef TESTS_SINGLE_STEP_H
#define TESTS_SINGLE_STEP_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#define STEP_TRAP_FLAG 0x100ul

static volatile unsigned long step_count, step_wanted;
static void (*step_interrupt)(void);

static void step_trap(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	if (step_count++ != step_wanted)
		return;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &=
		~(greg_t)STEP_TRAP_FLAG;
	step_interrupt();
}

/* `interrupt` is what happens there; it may jump away. */
static inline void step_prepare(void (*interrupt)(void))
{
	const struct sigaction action = {
		.sa_sigaction = step_trap, .sa_flags = SA_SIGINFO};

	step_interrupt = interrupt;
	sigaction(SIGTRAP, &action, NULL);
}

/* What follows is interrupted behind its instruction `at`, the first being 0.
 */
static __attribute__((noinline)) void step_begin(unsigned long at)
{
	step_count = 0;
	step_wanted = at;
	__asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq"
			 :
			 : "i"(STEP_TRAP_FLAG)
			 : "cc", "memory");
}

/* True: it has been. */
static __attribute__((noinline)) bool step_end(void)
{
	__asm__ volatile("pushfq\n\tandq %0, (%%rsp)\n\tpopfq"
			 :
			 : "i"(~STEP_TRAP_FLAG)
			 : "cc", "memory");
	return step_count > step_wanted;
}

#endif
