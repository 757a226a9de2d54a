/*
 * When two numbers of two runs differ so much that it should be said.  Asked
 * by run_report.c.
 */
#ifndef DECODER_RUN_CHANGE_H
#define DECODER_RUN_CHANGE_H

#include "decoder/runs/run_diff.h"

/* Calls of one place in both runs. */
struct run_change_calls {
	uint64_t calls[2];
	uint64_t all[2];   /* of all places */
	double seconds[2]; /* that the runs took, at least 1 */
};

/*
 * How much more or less the place says, as a logarithm; 0: no more or less
 * than could be expected.  It is said more if that is so against all other
 * places, and in number or per second, by half at least, and by more than
 * chance does.
 */
double run_change_of_calls(const struct run_change_calls *of);

/*
 * Whether the values of an argument are clearly others: none in common, or
 * another mean, or far beyond what there was.
 */
bool run_change_of_values(const struct run_range *a, const struct run_range *b);

#endif
