/*
 * A hash table from numbers to pointers: ids chosen by whoever wrote a file,
 * addresses, hashes.  What is known by its bytes is in a pack_table.  The hash
 * has a random seed, so no file can make it slow, and its size follows the
 * number of entries, never the size of an id.
 */
#ifndef BASE_ID_MAP_H
#define BASE_ID_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/seeded_hash.h"

struct id_map_slot {
	void *value; /* null: the slot is free */
	uint64_t id;
};

/* All zeros is an empty map; it borrows the values. */
struct id_map {
	struct id_map_slot *slots;
	size_t mask; /* slots - 1, a power of two minus 1 */
	size_t count;
	bool failed; /* no memory: something was not set */
};

static inline size_t id_map_hash(uint64_t id)
{
	return seeded_hash_word(seeded_hash_start, id);
}

/* The value of this id; null: there is none. */
static inline void *id_map_find(const struct id_map *map, uint64_t id)
{
	size_t i;

	if (!map->slots)
		return NULL;
	for (i = id_map_hash(id) & map->mask; map->slots[i].value;
		i = (i + 1) & map->mask)
		if (map->slots[i].id == id)
			return map->slots[i].value;
	return NULL;
}

/* Enters or replaces; `value` is not null.  False: out of memory. */
bool id_map_set(struct id_map *map, uint64_t id, void *value);

/* Leaves the map empty and usable; the values are the caller's. */
void id_map_free(struct id_map *map);

#endif
