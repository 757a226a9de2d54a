#include "decoder/stats/number_sketch.h"

#include <stdlib.h>
#include <string.h>

/*
 * The bits of a double, its sign turned, are in the order of the values.  The
 * first 12 of them, sign and exponent, choose a page, through a group of
 * pages; the next 9 one of the counts on it.
 */
#define COUNT_BITS 9u
#define COUNTS (1u << COUNT_BITS)
#define GROUP_PAGES 64u
#define PAGES (NUMBER_SKETCH_GROUPS * GROUP_PAGES)
#define DROPPED_BITS (64 - 12 - COUNT_BITS)
#define SIGN ((uint64_t)1 << 63)

#define PAGE_BYTES (COUNTS * sizeof(uint64_t))
#define GROUP_BYTES (GROUP_PAGES * sizeof(uint64_t *))

static inline uint32_t place_of(double value)
{
	double positive_zero = value + 0.0;
	uint64_t bits;

	memcpy(&bits, &positive_zero, sizeof(bits));
	bits = (bits & SIGN) ? ~bits : bits | SIGN;
	return (uint32_t)(bits >> DROPPED_BITS);
}

static double value_of(uint64_t ordered)
{
	uint64_t bits = (ordered & SIGN) ? ordered ^ SIGN : ~ordered;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint64_t *page_of(
	const struct number_sketch *sketch, uint32_t place)
{
	uint32_t page = place >> COUNT_BITS;
	uint64_t **group = sketch->groups[page / GROUP_PAGES];

	return group ? group[page % GROUP_PAGES] : NULL;
}

static void *take(size_t bytes, size_t *left)
{
	void *taken = left && *left < bytes ? NULL : calloc(1, bytes);

	if (taken && left)
		*left -= bytes;
	return taken;
}

__attribute__((noinline, cold)) static uint64_t *make_page(
	struct number_sketch *sketch, uint32_t place, size_t *left)
{
	uint32_t page = place >> COUNT_BITS;
	uint64_t ***group = &sketch->groups[page / GROUP_PAGES];

	if (!*group)
		*group = take(GROUP_BYTES, left);
	if (!*group)
		return NULL;
	(*group)[page % GROUP_PAGES] = take(PAGE_BYTES, left);
	return (*group)[page % GROUP_PAGES];
}

static inline bool add(struct number_sketch *sketch, uint32_t place,
	uint64_t times, size_t *left)
{
	uint64_t *page = page_of(sketch, place);

	if (__builtin_expect(!page, 0)) {
		page = make_page(sketch, place, left);
		if (!page)
			return false;
	}
	page[place % COUNTS] += times;
	return true;
}

bool number_sketch_add(struct number_sketch *sketch, double value,
	uint64_t times, size_t *left)
{
	return add(sketch, place_of(value), times, left);
}

size_t number_sketch_add_all(struct number_sketch *sketch, const double *values,
	size_t count, size_t *left)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!add(sketch, place_of(values[i]), 1, left))
			break;
	return i;
}

/* The first count that is not zero, from the place on; its place, or PAGES *
 * COUNTS. */
static uint32_t find(const struct number_sketch *sketch, uint32_t place)
{
	while (place < PAGES * COUNTS) {
		const uint64_t *page = page_of(sketch, place);

		if (!sketch->groups[place / (GROUP_PAGES * COUNTS)])
			place = (place / (GROUP_PAGES * COUNTS) + 1) *
				(GROUP_PAGES * COUNTS);
		else if (!page)
			place = (place / COUNTS + 1) * COUNTS;
		else if (page[place % COUNTS] == 0)
			place++;
		else
			break;
	}
	return place;
}

bool number_sketch_next(
	const struct number_sketch *sketch, struct number_sketch_bucket *bucket)
{
	uint32_t place = find(sketch, bucket->next);
	uint64_t least = (uint64_t)place << DROPPED_BITS;

	if (place == PAGES * COUNTS)
		return false;
	bucket->next = place + 1;
	bucket->low = value_of(least);
	bucket->high = value_of(least + (((uint64_t)1 << DROPPED_BITS) - 1));
	bucket->count = page_of(sketch, place)[place % COUNTS];
	return true;
}

bool number_sketch_merge(
	struct number_sketch *sketch, const struct number_sketch *other)
{
	uint32_t place = find(other, 0);

	for (; place < PAGES * COUNTS; place = find(other, place + 1))
		if (!add(sketch, place, page_of(other, place)[place % COUNTS],
			    NULL))
			return false;
	return true;
}

static void free_group(uint64_t **group, size_t *left)
{
	size_t i;

	for (i = 0; i < GROUP_PAGES; i++) {
		if (group[i] && left)
			*left += PAGE_BYTES;
		free(group[i]);
	}
	if (left)
		*left += GROUP_BYTES;
	free(group);
}

void number_sketch_free(struct number_sketch *sketch, size_t *left)
{
	size_t i;

	for (i = 0; i < NUMBER_SKETCH_GROUPS; i++)
		if (sketch->groups[i])
			free_group(sketch->groups[i], left);
	*sketch = (struct number_sketch){0};
}
