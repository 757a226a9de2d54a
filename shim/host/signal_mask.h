/*
 * Around the few places where a handler that jumps away, or a thread that is
 * cancelled at any moment, would leave something lost or half done: a new
 * block, a new writer.  Called by the writers; two system calls, so nowhere
 * near the way of an ordinary call.  What the program has blocked stays so.
 */
#ifndef SHIM_SIGNAL_MASK_H
#define SHIM_SIGNAL_MASK_H

#include <signal.h>

#include "shim/host/sys.h"

#define SIGNAL_MASK_BIT(number) ((uint64_t)1 << ((number)-1))
#define SIGNAL_MASK_BYTES 8

/* No mask has SIGKILL: they could not be blocked. */
#define SIGNAL_MASK_UNCHANGED SIGNAL_MASK_BIT(SIGKILL)

/*
 * Blocks all signals of this thread but those that an instruction raises,
 * which would kill if blocked; returns the mask before.
 */
static inline uint64_t signal_mask_block(void)
{
	const uint64_t all =
		~(SIGNAL_MASK_BIT(SIGSEGV) | SIGNAL_MASK_BIT(SIGBUS) |
			SIGNAL_MASK_BIT(SIGILL) | SIGNAL_MASK_BIT(SIGFPE) |
			SIGNAL_MASK_BIT(SIGTRAP) | SIGNAL_MASK_BIT(SIGSYS));
	uint64_t before = 0;

	if (sys_failed(SYS4(rt_sigprocmask, SIG_SETMASK, &all, &before,
		    SIGNAL_MASK_BYTES)))
		return SIGNAL_MASK_UNCHANGED;
	return before;
}

/*
 * To be given what signal_mask_block() has returned.  Also where another thread
 * has set a filter meanwhile (sys_forbidden): what was blocked would stay so.
 */
static inline void signal_mask_restore(uint64_t before)
{
	if (before != SIGNAL_MASK_UNCHANGED)
		sys_enter(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0,
			SIGNAL_MASK_BYTES, 0, 0);
}

#endif
