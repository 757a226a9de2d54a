#include "decoder/quantiles.h"

#include <math.h>
#include <stdlib.h>

/* Of each power of two; below twice as many each value has its own class. */
#define STEPS_BITS 7
#define STEPS (1u << STEPS_BITS)
#define CLASSES ((64 - STEPS_BITS + 1) * STEPS)

static unsigned class_of(uint64_t value)
{
	unsigned shift;

	if (value < 2 * STEPS)
		return (unsigned)value;
	shift = 63 - STEPS_BITS - (unsigned)__builtin_clzll(value);
	return (shift + 1) * STEPS + (unsigned)(value >> shift) - STEPS;
}

/* The middle of a class. */
static uint64_t value_of(unsigned number)
{
	unsigned shift = number / STEPS > 0 ? number / STEPS - 1 : 0;
	uint64_t least = (uint64_t)(number - shift * STEPS) << shift;

	return least + ((((uint64_t)1 << shift) - 1) >> 1);
}

void quantiles_add(struct quantiles *quantiles, uint64_t value)
{
	if (!quantiles->classes)
		quantiles->classes = calloc(CLASSES, sizeof(uint64_t));
	if (!quantiles->classes) {
		quantiles->failed = true;
		return;
	}
	quantiles->classes[class_of(value)]++;
	quantiles->count++;
}

uint64_t quantiles_at(const struct quantiles *quantiles, double part)
{
	uint64_t wanted = (uint64_t)ceil((double)quantiles->count * part);
	uint64_t seen = 0;
	unsigned i;

	for (i = 0; quantiles->count > 0 && i < CLASSES; i++) {
		seen += quantiles->classes[i];
		if (seen >= wanted && seen > 0)
			return value_of(i);
	}
	return 0;
}

void quantiles_free(struct quantiles *quantiles)
{
	free(quantiles->classes);
	*quantiles = (struct quantiles){0};
}
