/*
 * The stacks that the program has made contexts on (makecontext), so that what
 * is said on one is known to be of that coroutine.  Told by the wrapper of
 * makecontext and by threads that begin; asked when the stack of a call has
 * been unwound, and never for a call that the memo knows.  No lock; any thread,
 * signal handlers, forked children.  What finds no room is not known.
 */
#ifndef SHIM_COROUTINE_H
#define SHIM_COROUTINE_H

#include "shim/host/sys.h"
#include "shim/unwind/unwind.h"

/* The stacks of as many are known; then one is forgotten for each new one. */
#define COROUTINE_STACKS 1024u

/* Of whom a call is; all zeros: the thread's own. */
struct coroutine {
	uint64_t number; /* in its process, from 1 */
	uint32_t stack;	 /* one more than its place in the table */
};

/* How many places of the table have been in use. */
extern HIDDEN uint32_t coroutine_stacks;

/* A new one will begin on this stack; who makes it has this stack pointer. */
void coroutine_made(const void *bottom, size_t bytes, uintptr_t sp);

/* A thread has begun with this stack pointer: its stack is no coroutine's. */
void coroutine_thread_begins(uintptr_t sp);

/* Nobody has been told of: there is nothing to look for. */
static inline bool coroutine_are_none(void)
{
	return likely(
		__atomic_load_n(&coroutine_stacks, __ATOMIC_ACQUIRE) == 0);
}

/*
 * The stack pointer is on a stack that lies on another one, in an array of a
 * function that may have returned: then only all frames tell whose it is.
 */
bool coroutine_may_be_gone(uintptr_t sp);

/*
 * Of the call with this stack pointer, whose stack was unwound; `whole`: or as
 * far as need be.  The trace gets one more word, which is another as soon as
 * the answer may be another.
 */
struct coroutine coroutine_look(
	uintptr_t sp, struct unwind_trace *trace, bool whole);

#endif
