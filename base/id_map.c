#include "base/id_map.h"

#include <stdlib.h>

#define SLOTS_FIRST 4u

/* There may be maps for each of very many writers, most of which are as small
 * as this: these are filled up to three quarters, larger ones to a half. */
#define SLOTS_FEW 16u

static struct id_map_slot *slot_for(struct id_map *map, uint64_t id)
{
	size_t i = id_map_hash(id) & map->mask;

	while (map->slots[i].value && map->slots[i].id != id)
		i = (i + 1) & map->mask;
	return &map->slots[i];
}

static bool grow(struct id_map *map)
{
	struct id_map old = *map;
	size_t slots = old.slots ? (old.mask + 1) * 2 : SLOTS_FIRST;
	size_t i;

	map->slots = calloc(slots, sizeof(*map->slots));
	if (!map->slots) {
		*map = old;
		map->failed = true;
		return false;
	}
	map->mask = slots - 1;
	for (i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].value)
			*slot_for(map, old.slots[i].id) = old.slots[i];
	free(old.slots);
	return true;
}

static bool is_full(const struct id_map *map)
{
	size_t slots = map->mask + 1;

	if (!map->slots)
		return true;
	return map->count >= (slots <= SLOTS_FEW ? slots / 4 * 3 : slots / 2);
}

bool id_map_set(struct id_map *map, uint64_t id, void *value)
{
	struct id_map_slot *slot;

	if (is_full(map) && !grow(map))
		return false;
	slot = slot_for(map, id);
	if (!slot->value)
		map->count++;
	*slot = (struct id_map_slot){value, id};
	return true;
}

void id_map_free(struct id_map *map)
{
	free(map->slots);
	*map = (struct id_map){0};
}
