/*
 * What each call in a file may be given: constants, what is loaded from
 * constant places, and what the function that it is in was given itself.
 * Called for lists of all calls, by handed.c and callsites.c; codetrace.c is
 * for one call.  Promises one pass over the code, a few for functions with
 * loops, so that large files take a time in proportion, and bounded memory.
 * What it tells may be given, on some path that direct jumps allow; not all
 * that may.
 */
#ifndef SYMBOLIZER_CALLVALUES_H
#define SYMBOLIZER_CALLVALUES_H

#include "symbolizer/code/codeflow.h"

enum callvalue_kind {
	CALLVALUE_CONSTANT,  /* a number, maybe an address */
	CALLVALUE_LOADED,    /* what is at that address */
	CALLVALUE_PARAMETER, /* argument number `value` of the function */
	CALLVALUE_STACK,     /* address of a local variable */
};

struct callvalue {
	uint64_t value : 61;
	uint64_t kind : 2; /* enum callvalue_kind */
	uint64_t translated : 1;
};

#define CALLVALUES_MAX 16

struct callvalues {
	struct callvalue all[CALLVALUES_MAX];
	size_t count;
};

/* Those in registers, then those on the stack. */
#define CALLVALUES_ARGUMENTS 12

struct callvalues_call {
	const struct codeflow_region *region;
	const struct codeflow_step *step;   /* a call, or a jump out of there */
	const struct callvalues *arguments; /* CALLVALUES_ARGUMENTS of them; */
	/* null: it is no call, but a return, or a jump into the middle of */
	/* another region, which is a piece of the same function, or: */
	uint8_t parameter; /* this one is read from the stack; 0: none is */
};

/* False: that is enough. */
typedef bool callvalues_take(void *closure, const struct callvalues_call *call);

/*
 * Calls back for each call and jump out of a function, by section and address;
 * not for all in a file that is made to be waited for.  False when a callback
 * said so, or out of memory.
 */
bool callvalues_each(
	struct codeflow *flow, callvalues_take *take, void *closure);

/*
 * The address that a value is, as codetrace_pointer().  False: it is none that
 * is constant.
 */
bool callvalues_pointer(struct codeflow *flow, const struct callvalue *value,
	uint64_t *pointer);

#endif
