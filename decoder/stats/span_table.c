#include "decoder/stats/span_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/seeded_hash.h"

#define KEYS_FIRST ((size_t)1024)

static uint64_t hash_of(size_t rule, const void *key, size_t bytes)
{
	return seeded_hash(seeded_hash_start ^ rule, key, bytes);
}

static struct span_key *find_key(const struct span_table *table, uint64_t hash,
	size_t rule, const void *bytes, size_t size)
{
	struct span_key *key =
		table->keys ? table->keys[hash & table->mask] : NULL;

	while (key &&
		(key->hash != hash || key->rule != rule || key->size != size ||
			memcmp(key->bytes, bytes, size) != 0))
		key = key->collides;
	return key;
}

/* At least as many chains as keys. */
static bool make_room(struct span_table *table)
{
	size_t room = table->keys ? 2 * (table->mask + 1) : KEYS_FIRST;
	struct span_key **keys;
	size_t i;

	if (table->keys && table->key_count <= table->mask)
		return true;
	keys = calloc(room, sizeof(struct span_key *));
	if (!keys)
		return false;
	for (i = 0; table->keys && i <= table->mask; i++) {
		struct span_key *key = table->keys[i];

		while (key) {
			struct span_key *next = key->collides;
			struct span_key **chain = &keys[key->hash & (room - 1)];

			key->collides = *chain;
			*chain = key;
			key = next;
		}
	}
	free(table->keys);
	table->keys = keys;
	table->mask = room - 1;
	return true;
}

static struct span_key *add_key(struct span_table *table, uint64_t hash,
	size_t rule, const void *bytes, size_t size)
{
	struct span_key *key;
	struct span_key **chain;

	if (!make_room(table))
		return NULL;
	key = malloc(sizeof(*key) + size);
	if (!key)
		return NULL;
	chain = &table->keys[hash & table->mask];
	*key = (struct span_key){
		.collides = *chain,
		.hash = hash,
		.rule = rule,
		.size = size,
	};
	memcpy(key->bytes, bytes, size);
	*chain = key;
	table->key_count++;
	table->bytes += sizeof(*key) + size;
	return key;
}

static void drop_key(struct span_table *table, struct span_key *key)
{
	struct span_key **link = &table->keys[key->hash & table->mask];

	while (*link != key)
		link = &(*link)->collides;
	*link = key->collides;
	table->key_count--;
	table->bytes -= sizeof(*key) + key->size;
	free(key);
}

static void link_by_age(struct span_table *table, struct span_open *open)
{
	open->older = table->newest;
	if (table->newest)
		table->newest->newer = open;
	else
		table->oldest = open;
	table->newest = open;
}

static void link_by_key(struct span_key *key, struct span_open *open)
{
	open->key = key;
	open->outer = key->innermost;
	if (key->innermost)
		key->innermost->inner = open;
	key->innermost = open;
}

struct span_open *span_table_open(struct span_table *table, size_t rule,
	const void *key, size_t key_bytes, const char *text, size_t text_bytes)
{
	uint64_t hash = hash_of(rule, key, key_bytes);
	struct span_open *open = malloc(sizeof(*open) + text_bytes);
	struct span_key *with;

	if (!open)
		return NULL;
	with = find_key(table, hash, rule, key, key_bytes);
	if (!with)
		with = add_key(table, hash, rule, key, key_bytes);
	if (!with) {
		free(open);
		return NULL;
	}
	*open = (struct span_open){.text_bytes = text_bytes};
	if (text_bytes > 0)
		memcpy(open->text, text, text_bytes);
	link_by_age(table, open);
	link_by_key(with, open);
	table->count++;
	table->bytes += sizeof(*open) + text_bytes;
	return open;
}

struct span_open *span_table_find(const struct span_table *table, size_t rule,
	const void *key, size_t key_bytes, uint32_t pid, uint32_t tid)
{
	uint64_t hash = hash_of(rule, key, key_bytes);
	struct span_key *with = find_key(table, hash, rule, key, key_bytes);
	struct span_open *open = with ? with->innermost : NULL;
	struct span_open *best = open;
	size_t i;

	for (i = 0; open && !limits_reached(LIMIT_SPAN_KEYS, i);
		i++, open = open->outer) {
		if (open->begin.pid != pid)
			continue;
		if (open->begin.tid == tid)
			return open;
		if (best->begin.pid != pid)
			best = open;
	}
	return best;
}

void span_table_close(struct span_table *table, struct span_open *open)
{
	struct span_key *key = open->key;

	if (open->older)
		open->older->newer = open->newer;
	else
		table->oldest = open->newer;
	if (open->newer)
		open->newer->older = open->older;
	else
		table->newest = open->older;
	if (open->outer)
		open->outer->inner = open->inner;
	if (open->inner)
		open->inner->outer = open->outer;
	else
		key->innermost = open->outer;
	if (!key->innermost)
		drop_key(table, key);
	table->count--;
	table->bytes -= sizeof(*open) + open->text_bytes;
	free(open);
}

void span_table_free(struct span_table *table)
{
	struct span_open *open = table->oldest;

	while (open) {
		struct span_open *newer = open->newer;

		span_table_close(table, open);
		open = newer;
	}
	free(table->keys);
	*table = (struct span_table){0};
}
