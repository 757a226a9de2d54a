#include "decoder/message/track_table.h"

#include <string.h>

#include "base/limits.h"

static struct track key_of(const struct message *message, uint32_t tid)
{
	return (struct track){
		.program = message->program,
		.pid = message->pid,
		.tid = tid,
		.boot = message->capture->header.nonce,
	};
}

static bool is_same(const struct track *a, const struct track *b)
{
	return a->program == b->program && a->tid == b->tid &&
	       a->pid == b->pid && a->boot == b->boot;
}

static uint32_t hash_of(const struct track *key)
{
	uint64_t hash = seeded_hash_word(seeded_hash_start, key->boot);

	hash = seeded_hash_word(hash, (uint64_t)key->pid << 32 | key->tid);
	return (uint32_t)seeded_hash_word(hash, (uintptr_t)key->program);
}

/* Null: there are too many, or out of memory. */
static struct track *add(struct track_table *table, const struct track *key,
	uint32_t hash, struct track *collides)
{
	struct track *track;

	if (limits_reached(LIMIT_TRACKS, table->count))
		return NULL;
	track = pool_take(&table->pool, sizeof(*track));
	if (track) {
		*track = *key;
		track->number = table->count + 1;
		track->collides = collides;
	}
	if (!track || !id_map_set(&table->map, hash, track)) {
		table->failed = true;
		return NULL;
	}
	table->count++;
	return track;
}

static struct track *find(struct track_table *table, const struct track *key,
	const char *name, bool *named)
{
	uint32_t hash = hash_of(key);
	struct track *first = id_map_find(&table->map, hash);
	struct track *track = first;

	while (track && !is_same(track, key))
		track = track->collides;
	*named = !track;
	if (!track)
		track = add(table, key, hash, first);
	if (!track)
		return NULL;
	*named = *named || strncmp(track->name, name, TRACK_NAME_MAX - 1) != 0;
	if (*named)
		strncpy(track->name, name, TRACK_NAME_MAX - 1);
	return track;
}

struct track *track_table_process(
	struct track_table *table, const struct message *message, bool *named)
{
	struct track key = key_of(message, 0);

	return find(table, &key, message->program->name, named);
}

struct track *track_table_thread(
	struct track_table *table, const struct message *message, bool *named)
{
	struct track key = key_of(message, message->tid);

	return find(table, &key, message->thread, named);
}

void track_table_free(struct track_table *table)
{
	id_map_free(&table->map);
	pool_free(&table->pool);
	*table = (struct track_table){0};
}
