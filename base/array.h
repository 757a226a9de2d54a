/*
 * Growing arrays, for everything whose number is known only when all of it has
 * been read.  Promises that sizes do not overflow, that growing one item at a
 * time is cheap, and that an array which cannot grow is as it was.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_ROOM_FIRST 16u

/* `array` is the address of a pointer to items of `item_bytes`. */
static inline bool array_make_room(
	void *array, size_t *room, size_t wanted, size_t item_bytes)
{
	size_t larger =
		*room < ARRAY_ROOM_FIRST / 2 ? ARRAY_ROOM_FIRST : *room * 2;
	void *items;

	if (wanted <= *room)
		return true;
	if (larger < wanted)
		larger = wanted;
	memcpy(&items, array, sizeof(items));
	items = reallocarray(items, larger, item_bytes);
	if (!items)
		return false;
	memcpy(array, &items, sizeof(items));
	*room = larger;
	return true;
}

/*
 * Makes room for `wanted` items in the array `items`, which is null or from
 * malloc() and may move; `room`, a size_t, is how many fit.  False: out of
 * memory.
 */
#define array_reserve(items, room, wanted)                                     \
	array_make_room(&(items), &(room), (wanted), sizeof(*(items)))

#endif
