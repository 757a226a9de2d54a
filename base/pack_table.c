#include "base/pack_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/seeded_hash.h"

#define SLOTS_FIRST 64u

static struct pack_entry **slot_for(const struct pack_table *table,
	uint64_t hash, const void *content, size_t size)
{
	size_t i = hash & table->mask;
	struct pack_entry *entry;

	while ((entry = table->slots[i]) &&
		(entry->hash != hash || entry->size != size ||
			memcmp(entry->content, content, size) != 0))
		i = (i + 1) & table->mask;
	return &table->slots[i];
}

static bool grow(struct pack_table *table)
{
	size_t slots = table->slots ? (table->mask + 1) * 2 : SLOTS_FIRST;
	struct pack_entry **entries =
		realloc(table->entries, slots / 2 * sizeof(*entries));
	struct pack_entry **old = table->slots;
	uint32_t i;

	if (entries)
		table->entries = entries;
	table->slots = calloc(slots, sizeof(*table->slots));
	if (!entries || !table->slots) {
		free(table->slots);
		table->slots = old;
		return false;
	}
	free(old);
	table->bytes +=
		(slots - (old ? slots / 2 : 0)) / 2 * 3 * sizeof(*table->slots);
	table->room = slots / 2;
	table->mask = slots - 1;
	for (i = 0; i < table->count; i++) {
		size_t at = entries[i]->hash & table->mask;

		while (table->slots[at])
			at = (at + 1) & table->mask;
		table->slots[at] = entries[i];
	}
	return true;
}

struct pack_entry *pack_table_intern(
	struct pack_table *table, const void *content, size_t size)
{
	struct pack_entry **slot;
	struct pack_entry *entry;
	uint64_t hash = seeded_hash(seeded_hash_start, content, size);

	if (table->count >= table->room && !grow(table))
		return NULL;
	slot = slot_for(table, hash, content, size);
	if (*slot)
		return *slot;
	entry = malloc(sizeof(*entry) + size);
	if (!entry)
		return NULL;
	*entry = (struct pack_entry){
		.hash = hash,
		.id = table->count + 1,
		.size = (uint32_t)size,
	};
	memcpy(entry->content, content, size);
	table->bytes += sizeof(*entry) + size;
	table->entries[table->count++] = entry;
	*slot = entry;
	return entry;
}

struct pack_entry *pack_table_find(
	const struct pack_table *table, const void *content, size_t size)
{
	if (table->count == 0)
		return NULL;
	return *slot_for(table, seeded_hash(seeded_hash_start, content, size),
		content, size);
}

void pack_table_free(struct pack_table *table)
{
	uint32_t i;

	for (i = 0; i < table->count; i++)
		free(table->entries[i]);
	free(table->entries);
	free(table->slots);
	*table = (struct pack_table){0};
}
