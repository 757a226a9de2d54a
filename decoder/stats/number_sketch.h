/*
 * How numbers are spread: a count for each bucket, of which every power of two
 * has 512, so that values of one bucket differ by at most 1/512 of themselves,
 * and integers below 1024 have one each.  Filled by numbers.c, read by what
 * shows percentiles and the like.  Takes memory for the powers of two that
 * occur, as far as it is allowed to.
 */
#ifndef DECODER_NUMBER_SKETCH_H
#define DECODER_NUMBER_SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBER_SKETCH_GROUPS 64u

/* All zeros is empty. */
struct number_sketch {
	uint64_t **groups[NUMBER_SKETCH_GROUPS];
};

/* Counts the value, which is finite, so many times; *left is what memory it
 * may take, or null.  False: more than that, or there is none; it was not
 * counted. */
bool number_sketch_add(struct number_sketch *sketch, double value,
	uint64_t times, size_t *left);

/* Likewise of many; gives how many were counted. */
size_t number_sketch_add_all(struct number_sketch *sketch, const double *values,
	size_t count, size_t *left);

/* Adds all counts of the other.  False: no memory. */
bool number_sketch_merge(
	struct number_sketch *sketch, const struct number_sketch *other);

/* One that is not empty. */
struct number_sketch_bucket {
	uint32_t next; /* where the one after it may be; 0: the first of all */
	double low;    /* all its values are between these */
	double high;
	uint64_t count;
};

/* The next one by value; all zeros before the first.  False: that was all. */
bool number_sketch_next(const struct number_sketch *sketch,
	struct number_sketch_bucket *bucket);

/* Frees what it owns and gives back to *left; it is empty again. */
void number_sketch_free(struct number_sketch *sketch, size_t *left);

#endif
