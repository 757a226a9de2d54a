/*
 * What C and fast_x86_64.S say to each other.  That file has the short way
 * (fast.h) of the most frequent functions once more, for calls that are
 * guessed right the first time; whatever is unusual it leaves to C, as if it
 * had never begun.  Elsewhere, and with PORTABLE=1, there is none of it.
 */
#ifndef SHIM_FAST_CODE_H
#define SHIM_FAST_CODE_H

#include "shim/writer/plan.h"
#include "shim/writer/writer.h"

/* See fast_guess_at(). */
#define FAST_GUESS_MULTIPLIER 0x9e3779b1u
#define FAST_GUESS_SHIFT 22

/* How one argument is copied: where the code for it is. */
struct fast_step {
	const char *code;
	const struct plan_argument *argument;
};

#if FAST_CODE
/*
 * Whether the call of this memo, which has a stream and a FILE, can go there,
 * and to what in it.  Async-signal-safe.
 */
void fast_code_prepare(struct memo *memo);

/* A record is there whose stream others have written to, or flushed: counts
 * its bytes and leaves; returns their number. */
int fast_code_said(struct writer *w, struct memo *memo, uint32_t length);
/* The same for a function that returns something else. */
size_t fast_code_said_as(
	struct writer *w, struct memo *memo, size_t length, size_t result);
#else
static inline void fast_code_prepare(struct memo *memo)
{
	(void)memo;
}
#endif

#endif
