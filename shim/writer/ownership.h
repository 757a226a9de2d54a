/*
 * Which writer a thread uses: its own, a handler's, that of a thread which has
 * ended, or a new one.  Called by writer_enter_slow() and, for
 * what a jump has left, by stdio_buffer.  Promises that no
 * two calls that may both go on have one writer, and that there are not many
 * more writers than there were threads at one time: nobody has to tell us that
 * a thread has ended, or that a call was left by siglongjmp().
 */
#ifndef SHIM_OWNERSHIP_H
#define SHIM_OWNERSHIP_H

#include "shim/writer/writer.h"

/* Between the pieces of a call: true if it goes on in another capture, where it
 * has defined nothing. */
bool ownership_follows(struct writer *w);

/* The first records of a writer in a capture: whom it serves. */
void ownership_introduce(struct writer *w);

/*
 * The writer for a call of the calling thread, entered; `sp` is the stack
 * pointer of the call, see writer_enter().  Null: no memory, or handlers have
 * interrupted each other too often.  Async-signal-safe.
 */
struct writer *ownership_enter(uintptr_t sp);

/*
 * It seems that a call which was at `inside` has been jumped out of
 * (siglongjmp from a handler), and that one at `sp` does not interrupt it:
 * that would be further down the stack, or on the alternate signal stack.  Not
 * a proof: a handler may have switched between stacks, and come back later.
 */
bool ownership_seems_left(uintptr_t inside, uintptr_t sp);

/*
 * A process is about to run in our memory beside us, with the same variables
 * of threads: from here on each call looks its writer up by the numbers that
 * the kernel gives to the thread.
 */
void ownership_share(void);

/*
 * Around a call whose text is written and recorded: it is under way until both
 * are done.  ownership_begin() may return null.  Whoever does not come back, by
 * a jump or a cancellation, is taken to be under way as long as its thread
 * lives, or until its next call of this kind.
 */
struct writer *ownership_begin(uintptr_t sp);
void ownership_end(struct writer *w);

/*
 * Before the process ends, or executes another program: gives threads that are
 * in the middle of a call the time to end it, as the kernel ends a write(2).
 * The first message of a thread takes 60 us.  At most 20 ms, or 200 where the
 * thread waits for nothing but a processor.  What other threads would begin
 * after that waits for the end, until the process goes on after all.
 */
void ownership_wait(void);
void ownership_go_on(void);

#endif
