/*
 * What glibc prints to a FILE by itself passes no name that could be
 * interposed.  But while the FILE has a large buffer of ours, the text is
 * found there: the handlers lend it one around the call, and what is in it
 * afterwards is recorded, or written, or both.  Safe against calls that end in
 * exit(), in a jump, or in another such call; no allocation.
 */
#ifndef WRAPPERS_BORROWED_BUFFER_H
#define WRAPPERS_BORROWED_BUFFER_H

#include "shim/record/capture.h"

/* What is to be expected of a function. */
enum {
	BORROW_MAY_PRINT = 1, /* often it does not: nobody shall wait for it */
	BORROW_CALLS_BACK =
		2,	  /* functions of the program may print meanwhile */
	BORROW_WAITS = 4, /* for others: the FILE stays open to all */
};

struct borrowed_buffer {
	FILE *file; /* null: nothing was lent */
	unsigned number;
};

/*
 * Lends a buffer to a FILE that is recorded and has none of ours yet; null is
 * no FILE.  Until borrow_give_back() the FILE is locked, unless BORROW_WAITS;
 * with that one that is also written is left alone.
 */
struct borrowed_buffer borrow_buffer(
	const struct call *call, FILE *file, unsigned flags);

/* Gives the FILE back as it was, and says what was printed; errno is kept. */
void borrow_give_back(
	const struct call *call, const struct borrowed_buffer *buffer);

/*
 * The call about to be made may end in exit(): then the FILEs get back what is
 * theirs before any handler of the program runs.
 */
void borrow_end_at_exit(void);

#endif
