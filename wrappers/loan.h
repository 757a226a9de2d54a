/*
 * What glibc prints to a FILE by itself passes no name that could be
 * interposed.  But while the FILE has a large buffer of ours, the text is
 * found there: the handlers lend it one around the call, and what is in it
 * afterwards is recorded, or written, or both.  Safe against calls that end in
 * exit(), in a jump, or in another loan; no allocation.
 */
#ifndef WRAPPERS_LOAN_H
#define WRAPPERS_LOAN_H

#include "shim/record/capture.h"

/* What is to be expected of a function. */
enum {
	LOAN_MAY_PRINT = 1,  /* often it does not: nobody shall wait for it */
	LOAN_CALLS_BACK = 2, /* functions of the program may print meanwhile */
	LOAN_WAITS = 4,	     /* for others: the FILE stays open to all */
};

struct loan {
	FILE *file; /* null: nothing was lent */
	unsigned number;
};

/*
 * Lends a buffer to a FILE that is recorded and has none of ours yet; null is
 * no FILE.  Until loan_take_back() the FILE is locked, unless LOAN_WAITS;
 * with that one that is also written is left alone.
 */
struct loan loan_lend(const struct call *call, FILE *file, unsigned flags);

/* Gives the FILE back as it was, and says what was printed; errno is kept. */
void loan_take_back(const struct call *call, const struct loan *loan);

/*
 * The call about to be made may end in exit(): then the FILEs get back what is
 * theirs before any handler of the program runs.
 */
void loan_end_at_exit(void);

#endif
