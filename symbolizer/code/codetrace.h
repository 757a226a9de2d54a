/*
 * Which values a register may have at a place in the code, found by going
 * back from there, and the calls that may have come before.  Called by
 * callsites.c and handed.c for the arguments of calls.  Promises to follow
 * every path that direct jumps allow, within limits, and to say when there may
 * be values that it has not found.
 */
#ifndef SYMBOLIZER_CODETRACE_H
#define SYMBOLIZER_CODETRACE_H

#include "symbolizer/code/codeflow.h"

#define CODETRACE_VALUES_MAX 8

/* A number, or what is loaded from there. */
struct codetrace_value {
	uint64_t value;
	bool loaded;
	bool translated; /* it has passed through a function for that */
};

struct codetrace_values {
	struct codetrace_value values[CODETRACE_VALUES_MAX];
	size_t count;
	bool more;	   /* others are possible: */
	bool is_parameter; /* what the function at `entry` is given in the */
	uint8_t number;	   /* register `number` */
	uint64_t entry;
};

/* What `number` may hold right before the instruction at `address`. */
void codetrace_register(struct codeflow *flow, uint64_t address, uint8_t number,
	struct codetrace_values *values);

/*
 * The value itself, or the pointer that is stored where it is loaded from.
 * False: that is not constant.
 */
bool codetrace_pointer(struct codeflow *flow,
	const struct codetrace_value *value, uint64_t *pointer);

/*
 * The addresses of at most `room` calls that may have come before the
 * instruction at `address` in the same function, the nearest first.
 */
size_t codetrace_calls(
	struct codeflow *flow, uint64_t address, uint64_t *calls, size_t room);

#endif
