/*
 * Medians and percentiles of any number of values in a fixed amount of memory:
 * a count for each class of values, which are at most 1/128 wide of what they
 * are.  Used where values are not all kept.  Promises a value that is at most
 * 1/128 beside the exact one, and exact ones below 256.
 */
#ifndef DECODER_QUANTILES_H
#define DECODER_QUANTILES_H

#include <stdbool.h>
#include <stdint.h>

/* All zeros is empty. */
struct quantiles {
	uint64_t *classes; /* null: none yet */
	uint64_t count;
	bool failed; /* no memory */
};

void quantiles_add(struct quantiles *quantiles, uint64_t value);

/*
 * The least value that at least this part of all are not above, 0 < part <= 1;
 * 0 if there are none.
 */
uint64_t quantiles_at(const struct quantiles *quantiles, double part);

void quantiles_free(struct quantiles *quantiles);

#endif
