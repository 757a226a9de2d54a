/*
 * Growing arrays.  Used by the files of the symbolizer for everything whose
 * number is known only when all of it has been read.  Promises that sizes do
 * not overflow and that a failed growth leaves the array as it was.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * Makes room for one more than `count` items of `item_bytes` in `items`, of
 * which `room` is the present capacity.  Returns the array, which may have
 * moved, or null when out of memory; then `items` is still valid.
 */
static inline void *array_grow(
	void *items, size_t *room, size_t count, size_t item_bytes)
{
	size_t wanted = count < 8 ? 16 : count * 2;
	void *grown;

	if (count < *room)
		return items;
	grown = reallocarray(items, wanted, item_bytes);
	if (grown)
		*room = wanted;
	return grown;
}

#endif
